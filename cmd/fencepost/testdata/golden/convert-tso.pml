/* StoreBuffer, from testdata/store-buffer.imp
 * under TSO.
 *
 * To verify it:
 *   spin -a FILE && cc -O2 -fwrapv -DSAFETY -o pan pan.c && ./pan -m1000000
 * Each control state is a label, each edge a d_step. Arithmetic may wrap around.
 */

bit x;
bit y;

bit P0_r;
local byte P0_cell[1]; /* the store buffer: cells, 1 x */
local byte P0_value[1];
bit P0_length;
inline P0_flush() {
	x = P0_value[0];
	P0_cell[0] = 0;
	P0_value[0] = 0;
	P0_length--
}

bit P1_r;
local byte P1_cell[1]; /* the store buffer: cells, 2 y */
local byte P1_value[1];
bit P1_length;
inline P1_flush() {
	y = P1_value[0];
	P1_cell[0] = 0;
	P1_value[0] = 0;
	P1_length--
}

bit P0_ended;
bit P1_ended;
/* exists P0.r = 0 & P1.r = 0 */
#define violated_at_end (P0_ended && P0_length == 0 && P1_ended && P1_length == 0 && ((P0_r == 0) && (P1_r == 0)))

active proctype P0() {
	/* 8: begin x := 1; r := y end */
end_q0:	if
	:: d_step { P0_cell[0] = 1; P0_value[0] = 1; P0_length++ } goto end_q1
	fi;
end_q1:	if
	:: d_step { P0_r = y; P0_ended = 1; assert(!violated_at_end) } goto end
	:: d_step { (P0_length > 0) -> P0_flush() } goto end_q1
	fi;
end:	if
	:: d_step { (P0_length > 0) -> P0_flush(); assert(!violated_at_end) } goto end
	fi;
}

active proctype P1() {
	/* 12: begin y := 1; r := x end */
end_q0:	if
	:: d_step { P1_cell[0] = 2; P1_value[0] = 1; P1_length++ } goto end_q1
	fi;
end_q1:	if
	:: d_step { P1_r = x; P1_ended = 1; assert(!violated_at_end) } goto end
	:: d_step { (P1_length > 0) -> P1_flush() } goto end_q1
	fi;
end:	if
	:: d_step { (P1_length > 0) -> P1_flush(); assert(!violated_at_end) } goto end
	fi;
}

/* Never runs. Spin would leave variables that nobody reads out of the states. */
proctype unused() {
	x == 0;
	y == 0;
	P0_r == 0;
	P1_r == 0
}
