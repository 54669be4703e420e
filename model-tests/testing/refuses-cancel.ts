/** An adapter module as `--sut PATH` names it: the reference, except that it refuses every cancel. */
import { refusesCancel } from "./fixtures.ts";

export default refusesCancel.adapter;
