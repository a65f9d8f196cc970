/* StoreBuffer, from testdata/store-buffer.imp
 * under sequential consistency.
 *
 * To verify it:
 *   spin -a FILE && cc -O2 -fwrapv -DSAFETY -o pan pan.c && ./pan -m1000000
 * Each control state is a label, each edge a d_step. Arithmetic may wrap around.
 */

bit x;
bit y;

bit P0_r;

bit P1_r;

bit P0_ended;
bit P1_ended;
/* exists P0.r = 0 & P1.r = 0 */
#define violated_at_end (P0_ended && P1_ended && ((P0_r == 0) && (P1_r == 0)))

active proctype P0() {
	/* 8: begin x := 1; r := y end */
end_q0:	if
	:: d_step { x = 1 } goto end_q1
	fi;
end_q1:	if
	:: d_step { P0_r = y; P0_ended = 1; assert(!violated_at_end) } goto end
	fi;
end:	false;
}

active proctype P1() {
	/* 12: begin y := 1; r := x end */
end_q0:	if
	:: d_step { y = 1 } goto end_q1
	fi;
end_q1:	if
	:: d_step { P1_r = x; P1_ended = 1; assert(!violated_at_end) } goto end
	fi;
end:	false;
}

/* Never runs. Spin would leave variables that nobody reads out of the states. */
proctype unused() {
	x == 0;
	y == 0;
	P0_r == 0;
	P1_r == 0
}
