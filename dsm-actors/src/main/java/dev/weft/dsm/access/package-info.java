/**
 * Access control (seed 000 section 3.3): who may read or write a minipage here, without page protection. Threads of the application look at a
 * page table in software before each access; the protocol changes it.
 *
 * <p>Invariants: the protocol alone changes rights. A thread that is about to write, or holds a range, has announced that first; who revokes
 * changes the right, makes all threads of the process see it ({@link dev.weft.dsm.access.MemoryBarrier}), and waits until nobody is inside.
 * So no store is lost: it is done before the minipage is copied out, or not begun. A single read is not announced: between its look and its load
 * the minipage may go, and then it reads what was there at the moment of the look, or what another node has written since.
 */
package dev.weft.dsm.access;
