# Store buffering, as automata: each thread writes its own cell and then reads the other's.
#
# Property: it does not happen that both read 0.
# SC:  SAFE
# TSO: UNSAFE: both writes are still in the buffers

thread P0
initial a
transition a b write 1 0
transition b c read r 1
transition c both check == r 0
end

thread P1
initial a
transition a b write 1 1
transition b c read r 0
transition c both check == r 0
end

goal P0 both P1 both
