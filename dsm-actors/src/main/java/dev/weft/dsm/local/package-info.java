/**
 * Shared memory within one JVM, over plain Java arrays: what a program is compared with that shares between nodes. It keeps the same
 * promises as {@link dev.weft.dsm.SharedSpace} says, minipages included, and takes no messages.
 *
 * <p>Invariant: what several elements of one minipage hold is read and written under that minipage's lock; a single element is read
 * without it, where the lock then says that nobody wrote meanwhile.
 */
package dev.weft.dsm.local;
