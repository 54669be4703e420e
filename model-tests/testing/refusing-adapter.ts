/** An adapter module as `--sut PATH` names it: the reference, except that it refuses every cancel. */
import { refusesCancel } from "./subjects.ts";

export default refusesCancel.adapter;
