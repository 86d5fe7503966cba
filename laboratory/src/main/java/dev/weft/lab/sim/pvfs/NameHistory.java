package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.Errno;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The operations on the name space, and the check that some order explains the answers: each operation happens at one moment between its start and
 * its end. An operation that was running when a manager died has happened once, too; possibly twice, if the next manager had ended its client's
 * session because the client did not return in time. An operation without an answer may have happened later, or not at all.
 */
final class NameHistory {
  private static final int STEPS_MAX = 200_000;

  /** An operation. */
  static final class Op {
    final OpKind kind;
    final String name;
    final String newName;
    final int flags;
    /** For LINK the file; for other operations the answer. */
    long inode;
    final long begin;
    private final long beganNs;
    private long end = FileHistory.OPEN;
    private int errno;
    private Set<String> listed;
    /** It need not have happened, and any result is correct. */
    private boolean isOptional = true;
    private boolean wasInterrupted;
    /** A manager may have ended the session, and so forgotten the operation, which the previous manager may have done. */
    private boolean isForgotten;

    private Op(OpKind kind, String name, String newName, int flags, long inode, long begin, long beganNs) {
      this.kind = kind;
      this.name = name;
      this.newName = newName;
      this.flags = flags;
      this.inode = inode;
      this.begin = begin;
      this.beganNs = beganNs;
    }

    @Override
    public String toString() {
      return kind + " " + name + (newName == null ? "" : " " + newName + " " + flags) + (inode == 0 ? "" : " inode " + inode) + " ["
          + begin + ".." + (isOptional ? "?" : end + " " + Errno.name(errno) + (listed == null ? "" : " " + listed)) + "]";
    }
  }

  private record Visited(BitSet done, Names state) {}

  private final LongSupplier nowNs;
  private final long graceNs;
  private long managerSinceNs;
  private final List<Op> ops = new ArrayList<>();
  private final Set<Long> made = new HashSet<>();
  private final Set<Visited> visited = new HashSet<>();
  private int steps;
  private int furthest;
  private List<Op> furthestLeft = List.of();

  /** @param graceNs how long a restarted manager remembers clients that have not returned */
  NameHistory(LongSupplier nowNs, long graceNs) {
    this.nowNs = nowNs;
    this.graceNs = graceNs;
  }

  Op begin(OpKind kind, String name, String newName, int flags, long inode, long at) {
    Op op = new Op(kind, name, newName, flags, inode, at, nowNs.getAsLong());
    ops.add(op);
    return op;
  }

  /** The operation is answered. */
  void end(Op op, int errno, long inode, Set<String> listed, long at, Violations violations) {
    op.isOptional = false;
    op.end = at;
    forget(op);
    op.errno = errno;
    op.listed = listed;
    if (op.kind != OpKind.LINK) {
      op.inode = inode;
    }
    if (errno == Errno.OK && (op.kind == OpKind.CREATE || op.kind == OpKind.MKDIR) && !made.add(inode)) {
      violations.add(op + ": the number of another file");
    }
  }

  /** The operation failed, and had no effect, except perhaps by a manager that died. */
  void fail(Op op, long at) {
    op.end = at;
    if (!op.wasInterrupted) {
      ops.remove(op);
    }
  }

  /** A manager has died: running operations may be done already. Returns their number. */
  int onManagerLost() {
    List<Op> underWay = ops.stream().filter(op -> op.isOptional).toList();
    underWay.forEach(op -> {
      forget(op);
      op.wasInterrupted = true;
    });
    return underWay.size();
  }

  /** Another manager has started. */
  void onManagerStarted() {
    managerSinceNs = nowNs.getAsLong();
  }

  /** When the last manager has ended the sessions that have not returned. */
  long graceEndNs() {
    return managerSinceNs + graceNs;
  }

  /** Whether an object opened at that time was open at an earlier manager, and the present one no longer waits for the client that had it open. */
  boolean isGraceOver(long openedNs) {
    return openedNs < managerSinceNs && nowNs.getAsLong() >= graceEndNs();
  }

  private void forget(Op op) {
    op.isForgotten |= op.wasInterrupted && nowNs.getAsLong() - managerSinceNs >= graceNs;
  }

  int size() {
    return ops.size();
  }

  /** Adds a violation if no order explains the answers; returns whether that could not be decided. */
  boolean check(Violations violations) {
    List<Op> all = new ArrayList<>(ops);
    for (Op op : ops) {
      if (op.isForgotten && !op.isOptional) {
        Op ghost = new Op(op.kind, op.name, op.newName, op.flags, op.kind == OpKind.LINK ? op.inode : 0, op.begin, op.beganNs);
        ghost.end = op.end;
        all.add(ghost);
      }
    }
    all.removeIf(op -> op.isOptional && (op.kind == OpKind.LOOKUP || op.kind == OpKind.LIST));
    if (!search(all, new BitSet(all.size()), Names.EMPTY) && steps < STEPS_MAX) {
      Op first = furthestLeft.getFirst();
      violations.addAt(first.beganNs, "no order of what was asked of the name space explains the answers; stuck at " + furthestLeft.subList(0,
          Math.min(4, furthestLeft.size())) + " of " + all);
    }
    return steps >= STEPS_MAX;
  }

  private boolean search(List<Op> all, BitSet done, Names state) {
    long limit = FileHistory.OPEN;
    List<Op> left = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      Op op = all.get(i);
      if (!done.get(i) && !op.isOptional) {
        limit = Math.min(limit, op.end);
        left.add(op);
      }
    }
    if (left.isEmpty()) {
      return true;
    }
    if (done.cardinality() > furthest || furthestLeft.isEmpty()) {
      furthest = done.cardinality();
      furthestLeft = left;
    }
    if (++steps >= STEPS_MAX || !visited.add(new Visited((BitSet) done.clone(), state))) {
      return false;
    }
    for (int i = 0; i < all.size(); i++) {
      Op op = all.get(i);
      if (done.get(i) || op.begin > limit || op.isOptional && limit == FileHistory.OPEN) {
        continue;
      }
      for (Names next : state.after(op, i, op.isOptional, op.errno, op.listed)) {
        done.set(i);
        if ((!op.isOptional || !next.equals(state)) && search(all, done, next)) {
          return true;
        }
        done.clear(i);
      }
    }
    return false;
  }
}
