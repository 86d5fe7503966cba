package dev.weft.lab.sim.pager;

import dev.weft.lab.kit.Violations;
import dev.weft.pager.Errno;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * All requests to one device and its answers, with the checks: each sector is linearizable, each request ends once, and errors occur only where a
 * server is lost.
 */
final class DeviceHistory {
  /** One request. */
  static final class Op {
    final long id;
    final OpKind kind;
    final long offset;
    final long length;
    final long beginNs;
    final long begin;
    final List<SectorHistory.Access> accesses = new ArrayList<>();
    long end = SectorHistory.NEVER;
    long endNs;
    int errno;

    Op(long id, OpKind kind, long offset, long length, long begin, long beginNs) {
      this.id = id;
      this.kind = kind;
      this.offset = offset;
      this.length = length;
      this.begin = begin;
      this.beginNs = beginNs;
    }

    boolean isOver() {
      return end != SectorHistory.NEVER;
    }

    int firstSector() {
      return (int) (offset / Sectors.BYTES);
    }

    int sectors() {
      return (int) (length / Sectors.BYTES);
    }

    @Override
    public String toString() {
      return "request " + id + " (" + kind + " " + offset + "+" + length + ")";
    }
  }

  private final String name;
  private final long areaBytes;
  private final SectorHistory[] sectors;
  private final List<Op> ops = new ArrayList<>();
  /** When each server's node died, and this device's data with it. */
  private final long[] diedAt;
  private final Violations violations;
  private long moment;

  DeviceHistory(String name, int servers, long areaBytes, Violations violations) {
    this.name = name;
    this.areaBytes = areaBytes;
    this.sectors = new SectorHistory[(int) (servers * areaBytes / Sectors.BYTES)];
    this.diedAt = new long[servers];
    Arrays.fill(diedAt, SectorHistory.NEVER);
    this.violations = violations;
  }

  List<Op> ops() {
    return ops;
  }

  /** A request is about to be submitted; its number is also the value that a write leaves. */
  Op begin(long id, OpKind kind, long offset, long length, long nowNs) {
    Op op = new Op(id, kind, offset, length, moment++, nowNs);
    ops.add(op);
    if (kind.changes()) {
      for (int i = 0; i < op.sectors(); i++) {
        add(op, op.firstSector() + i, new SectorHistory.Access(id, true, kind == OpKind.WRITE ? id : 0, op.begin));
      }
    }
    return op;
  }

  private void add(Op op, int sector, SectorHistory.Access access) {
    if (sectors[sector] == null) {
      sectors[sector] = new SectorHistory();
    }
    sectors[sector].add(access);
    op.accesses.add(access);
  }

  /** Whether a server has ever answered a request to its area without an error. */
  boolean hasAnswer(int server) {
    return ops.stream().anyMatch(op -> op.isOver() && op.errno == Errno.OK && op.length > 0 && op.offset < (server + 1) * areaBytes
        && op.offset + op.length > server * areaBytes);
  }

  /** A request has ended. */
  void end(Op op, int errno, long nowNs) {
    if (op.isOver()) {
      violations.add(name + ": " + op + " ended twice, with " + op.errno + " and " + errno);
      return;
    }
    op.end = moment++;
    op.endNs = nowNs;
    op.errno = errno;
    for (SectorHistory.Access access : op.accesses) {
      access.end = op.end;
      access.mayBeVoid = errno != Errno.OK;
    }
    if (errno == Errno.ENOMEM) {
      // Refused, so it never began.
      for (int i = 0; i < op.accesses.size(); i++) {
        sectors[op.firstSector() + i].remove(op.accesses.get(i));
      }
    }
    checkErrno(op);
  }

  /** The result of a read or a block status for a sector, counted from the start of the device. Called before {@link #end}. */
  void observed(Op op, int sector, long value, long nowNs) {
    if (value == Sectors.TORN) {
      violations.addAt(nowNs, name + ": " + op + " brought a sector " + sector + " that no write made");
      return;
    }
    add(op, sector, new SectorHistory.Access(op.id, false, value, op.begin));
  }

  private void checkErrno(Op op) {
    int first = serverAt(op.offset);
    int last = serverAt(op.offset + Math.max(1, op.length) - 1);
    boolean isAllowed = op.errno == Errno.OK || op.errno == Errno.EIO || op.errno == Errno.ENOMEM || op.errno == Errno.ESHUTDOWN;
    if (!isAllowed) {
      violations.add(name + ": " + op + " ended with errno " + op.errno);
    }
    for (int server = first; server <= last && op.errno == Errno.OK && op.kind != OpKind.FLUSH; server++) {
      if (diedAt[server] < op.begin) {
        violations.add(name + ": " + op + " succeeded although server " + server + " had died before it began, and another has nothing of it");
      }
    }
  }

  /** A server's node has died. */
  void serverDied(int server) {
    diedAt[server] = Math.min(diedAt[server], moment++);
  }

  private int serverAt(long offset) {
    return (int) (offset / areaBytes);
  }

  /** Adds a violation for each request that failed with EIO although none of its servers was ever lost. */
  void checkErrors(boolean[] wasLost) {
    for (Op op : ops) {
      if (op.isOver() && op.errno == Errno.EIO) {
        boolean explained = false;
        for (int server = 0; server < wasLost.length; server++) {
          boolean touches = op.kind == OpKind.FLUSH
              || op.offset < (server + 1) * areaBytes && op.offset + op.length > server * areaBytes;
          explained |= touches && wasLost[server];
        }
        if (!explained) {
          violations.addAt(op.endNs, name + ": " + op + " failed, but the device has lost no server of its range");
        }
      }
    }
  }

  /** Looks for an order that explains each sector; returns the number of sectors with too many possibilities to decide. */
  int checkSectors() {
    int undecided = 0;
    for (int i = 0; i < sectors.length; i++) {
      if (sectors[i] == null) {
        continue;
      }
      SectorHistory.Access wrong = sectors[i].check();
      if (wrong != null) {
        Op op = ops.stream().filter(one -> one.id == wrong.op).findFirst().orElseThrow();
        violations.addAt(op.endNs, name + ": sector " + i + " is not linearizable: no order explains the " + wrong + ", " + op
            + "; it may have held " + sectors[i].possibleValues());
      }
      undecided += sectors[i].isUndecided() ? 1 : 0;
    }
    return undecided;
  }
}
