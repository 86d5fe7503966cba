package dev.weft.pvfs.daemon;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Buffers lent to clients that move data themselves, one for each request (PVFS over InfiniBand, section 4.3). A client reaches its buffer through a
 * memory window of type 2, bound to exactly the bytes of the request and to the client's queue pair. The window is invalidated before another client
 * gets the buffer, and ends with the queue pair. If no buffer is free, requests wait in turn. On the daemon's thread.
 */
final class Loans implements AutoCloseable {
  private static final long LOAN_BIT = 1L << 61;

  /** A buffer, and the operation that has it. */
  static final class Loan {
    private final int index;
    private final long offset;
    private MemoryWindow window;
    private DaemonOperation op;
    private boolean isBinding;
    private boolean isUsed;
    /** Its client has been told its address. */
    private boolean isSaid;
    /** The client that had it last: no other client may see what is in it. */
    private DaemonClient last;

    private Loan(int index, long offset, MemoryWindow window) {
      this.index = index;
      this.offset = offset;
      this.window = window;
    }
  }

  private final Hca hca;
  private final ProtectionDomain pd;
  private final MemoryRegion region;
  private final int bytes;
  private final List<Loan> all = new ArrayList<>();
  private final ArrayDeque<Loan> free = new ArrayDeque<>();
  /** Operations that wait for a buffer, in order; at most as many as clients have credits. */
  private final ArrayDeque<DaemonOperation> wanting = new ArrayDeque<>();
  private final WorkRequest work = new WorkRequest();

  /** @throws dev.weft.hca.verbs.VerbsException if the HCA has no room; nothing is held then */
  Loans(Hca hca, ProtectionDomain pd, int count, int bytes) {
    this.hca = hca;
    this.pd = pd;
    this.bytes = bytes;
    this.region = hca.regMr(pd, hca.allocMemory(Arena.ofAuto(), (long) count * bytes), Access.LOCAL_WRITE | Access.MW_BIND);
    try {
      for (int i = 0; i < count; i++) {
        Loan loan = new Loan(i, (long) i * bytes, hca.allocMw(pd, MemoryWindow.Type.TYPE_2));
        all.add(loan);
        free.add(loan);
      }
    } catch (RuntimeException refused) {
      close();
      throw refused;
    }
  }

  /** Returns the longest data of a request that gets a buffer. */
  int bytes() {
    return bytes;
  }

  /** Returns the offset in {@link #memory} of the buffer of an operation. */
  long offset(DaemonOperation op) {
    return op.loan.offset;
  }

  MemorySegment memory() {
    return region.segment();
  }

  void want(DaemonOperation op) {
    wanting.add(op);
  }

  /** Gives the next operation a buffer and returns it; null if none waits or no buffer is free. */
  DaemonOperation next() {
    if (wanting.isEmpty() || free.isEmpty()) {
      return null;
    }
    DaemonOperation op = wanting.poll();
    op.loan = free.poll();
    op.loan.op = op;
    op.loan.isUsed = false;
    op.loan.isSaid = false;
    if (op.loan.last != op.client && op.request.op == DaemonOp.WRITE) { // Data of a read overwrites it.
      memory().asSlice(op.loan.offset, op.request.file.totalBytes()).fill((byte) 0);
    }
    op.loan.last = op.client;
    return op;
  }

  /** Binds or invalidates the window; {@link #completed} gets the token. Returns false if the connection takes no request now. */
  boolean post(DaemonOperation op) {
    Loan loan = op.loan;
    loan.isBinding = !loan.isUsed;
    if (loan.isBinding) {
      int access = op.request.op == DaemonOp.WRITE ? Access.REMOTE_WRITE : Access.REMOTE_READ;
      work.bindMw(new MwBind(loan.window, loan.window.nextRkey(), region, region.addr() + loan.offset, op.request.file.totalBytes(), access));
    } else {
      work.localInvalidate(loan.window.rkey());
    }
    return op.client.channel.transfer(work, true, LOAN_BIT | loan.index) || !op.client.channel.isOpen();
  }

  /** Whether a token belongs to {@link #post}. */
  static boolean isOfLoan(long token) {
    return (token & LOAN_BIT) != 0;
  }

  /** Returns the operation whose {@link #post} has completed; {@link #isLent} tells which it was. */
  DaemonOperation completed(long token) {
    return all.get((int) (token & ~LOAN_BIT)).op;
  }

  /** Whether its client now has access; false if the window was invalidated. */
  boolean isLent(DaemonOperation op) {
    return op.loan.isBinding;
  }

  /** Returns the address for its client, which has access and is told now. */
  long address(DaemonOperation op) {
    op.loan.isSaid = true;
    return region.addr() + op.loan.offset;
  }

  int rkey(DaemonOperation op) {
    return op.loan.window.rkey();
  }

  /** Returns the operation whose client has finished with its buffer; null if there is none for that request, or the client said so before. */
  DaemonOperation done(DaemonClient client, long id) {
    for (Loan loan : all) {
      if (loan.op != null && loan.op.client == client && loan.op.request.id == id && loan.isSaid && !loan.isUsed) {
        loan.isUsed = true;
        return loan.op;
      }
    }
    return null;
  }

  /** The operation has ended: its buffer is free for others. */
  void giveBack(DaemonOperation op) {
    Loan loan = op.loan;
    op.loan = null;
    loan.op = null;
    if (loan.window.isBound()) { // It ended without an invalidation.
      renew(loan);
    }
    free.add(loan);
  }

  private void renew(Loan loan) {
    hca.deallocMw(loan.window);
    loan.window = hca.allocMw(pd, MemoryWindow.Type.TYPE_2);
  }

  /** Frees the buffers of a client whose queue pair is destroyed. */
  void forget(DaemonClient client) {
    wanting.removeIf(op -> op.client == client);
    for (Loan loan : all) {
      if (loan.op != null && loan.op.client == client) {
        loan.op.loan = null;
        loan.op = null;
        renew(loan);
        free.add(loan);
      }
    }
  }

  /** Returns the number of buffers lent now. */
  int lent() {
    return all.size() - free.size();
  }

  /** Close after all queue pairs. */
  @Override
  public void close() {
    all.forEach(loan -> hca.deallocMw(loan.window));
    hca.deregMr(region);
  }
}
