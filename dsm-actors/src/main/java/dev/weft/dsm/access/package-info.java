/**
 * Access control without page protection (Kernel DSM, section 3.3). Threads of the application check a page table in software before each access; the
 * protocol changes it. Begin with {@link dev.weft.dsm.access.CheckedAccess}.
 *
 * <p>Invariants: only the protocol changes rights. A thread that is about to write, or that holds a range, has announced it before. To revoke a
 * right, the protocol changes the right, makes all threads of the process see it ({@link dev.weft.dsm.access.MemoryBarrier}), and waits until no
 * thread is inside. So no store is lost: it completes before the minipage is copied, or does not begin. A single read is not announced. If the
 * minipage is revoked between the check and the load, the read returns the value at the time of the check, or one that another node has written
 * since.
 */
package dev.weft.dsm.access;
