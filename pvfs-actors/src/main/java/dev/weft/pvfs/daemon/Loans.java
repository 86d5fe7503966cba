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
 * Buffers that are lent, one for a request, to clients that move data themselves (seed 002 section 4.3). A client reaches its buffer through a memory window of
 * type 2, which is bound to exactly the bytes of the request and serves its queue pair alone; it is invalidated before anybody else gets the buffer,
 * and with the queue pair. Who finds none waits its turn. On the daemon's thread.
 */
final class Loans implements AutoCloseable {
  private static final long LOAN_BIT = 1L << 61;

  /** A buffer, and whose it is. */
  static final class Loan {
    private final int index;
    private final long offset;
    private MemoryWindow window;
    private DaemonOperation op;
    private boolean isBinding;
    private boolean isUsed;
    /** Its client was told of it. */
    private boolean isSaid;
    /** Who had it last: what is in it is nobody else's to see. */
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
  /** Operations that wait for a buffer, in order; as many as clients have credits at most. */
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

  /** Longest data of a request that gets a buffer. */
  int bytes() {
    return bytes;
  }

  /** Where the buffer of an operation lies: offset in {@link #memory}. */
  long offset(DaemonOperation op) {
    return op.loan.offset;
  }

  MemorySegment memory() {
    return region.segment();
  }

  void want(DaemonOperation op) {
    wanting.add(op);
  }

  /** The next operation that gets a buffer, which it has now; null if none waits or none is free. */
  DaemonOperation next() {
    if (wanting.isEmpty() || free.isEmpty()) {
      return null;
    }
    DaemonOperation op = wanting.poll();
    op.loan = free.poll();
    op.loan.op = op;
    op.loan.isUsed = false;
    op.loan.isSaid = false;
    if (op.loan.last != op.client && op.request.op == DaemonOp.WRITE) { // What is read fills it.
      memory().asSlice(op.loan.offset, op.request.file.totalBytes()).fill((byte) 0);
    }
    op.loan.last = op.client;
    return op;
  }

  /** Gives the client access, or takes it; {@link #completed} gets the token. False if the connection takes no request now. */
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

  /** Whether a token is of {@link #post}. */
  static boolean isOfLoan(long token) {
    return (token & LOAN_BIT) != 0;
  }

  /** The operation whose {@link #post} is over; {@link #isLent} says what it was. */
  DaemonOperation completed(long token) {
    return all.get((int) (token & ~LOAN_BIT)).op;
  }

  /** Whether its client has access now; false when it was taken back. */
  boolean isLent(DaemonOperation op) {
    return op.loan.isBinding;
  }

  /** Where it is, for its client, which has access and is told so now. */
  long address(DaemonOperation op) {
    op.loan.isSaid = true;
    return region.addr() + op.loan.offset;
  }

  int rkey(DaemonOperation op) {
    return op.loan.window.rkey();
  }

  /** The operation whose client says that it is done with its buffer; null if it has none for that request, or has said so before. */
  DaemonOperation done(DaemonClient client, long id) {
    for (Loan loan : all) {
      if (loan.op != null && loan.op.client == client && loan.op.request.id == id && loan.isSaid && !loan.isUsed) {
        loan.isUsed = true;
        return loan.op;
      }
    }
    return null;
  }

  /** The operation is over: others may have its buffer. */
  void giveBack(DaemonOperation op) {
    Loan loan = op.loan;
    op.loan = null;
    loan.op = null;
    if (loan.window.isBound()) { // It ended without having been taken back.
      renew(loan);
    }
    free.add(loan);
  }

  private void renew(Loan loan) {
    hca.deallocMw(loan.window);
    loan.window = hca.allocMw(pd, MemoryWindow.Type.TYPE_2);
  }

  /** Its queue pair is destroyed. */
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

  /** Buffers that are lent now. */
  int lent() {
    return all.size() - free.size();
  }

  /** After all queue pairs. */
  @Override
  public void close() {
    all.forEach(loan -> hca.deallocMw(loan.window));
    hca.deregMr(region);
  }
}
