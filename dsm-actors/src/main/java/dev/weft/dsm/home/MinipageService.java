package dev.weft.dsm.home;

import dev.weft.dsm.home.HomeEntry.Request;
import dev.weft.dsm.home.HomeEntry.Stage;
import dev.weft.dsm.wire.DsmMessage;
import java.util.function.LongSupplier;

/** Serves the requests that wait for a minipage, one after the other, also when a node that takes part is lost. The state is in the entries. */
final class MinipageService {
  private final int self;
  private final boolean readsByRdma;
  private final Outbox outbox;
  private final LongSupplier members;
  private final LongSupplier staying;
  private long forwards;
  private long fetches;
  private long invalidations;
  private int lostCount;

  MinipageService(int self, boolean readsByRdma, Outbox outbox, LongSupplier members, LongSupplier staying) {
    this.self = self;
    this.readsByRdma = readsByRdma;
    this.outbox = outbox;
    this.members = members;
    this.staying = staying;
  }

  /** Serves the requests that wait, until one of them needs an answer. */
  void next(int minipage, HomeEntry entry) {
    while (entry.current == null && !entry.waiting.isEmpty() && !entry.gathering) {
      Request request = entry.waiting.poll();
      if (request.mark() >= 0) {
        request = beforeMark(minipage, entry, request);
        if (request == null) {
          continue;
        }
      }
      entry.op++;
      if (entry.lost) {
        outbox.send(request.from(), new DsmMessage.Lost(minipage));
      } else if ((members.getAsLong() & HomeEntry.bit(request.from())) != 0) {
        entry.current = request;
        entry.invalidated = 0;
        if (request.isWrite()) {
          startWrite(minipage, entry);
        } else {
          startRead(minipage, entry);
        }
      }
    }
  }

  private void startRead(int minipage, HomeEntry entry) {
    int from = entry.current.from();
    entry.stage = Stage.SERVING;
    entry.source = -1;
    entry.wasExclusive = entry.exclusive;
    if ((entry.copies & HomeEntry.bit(from)) != 0) {
      outbox.send(from, new DsmMessage.Grant(minipage, entry.op, entry.exclusive && entry.owner == from));
      return;
    }
    boolean isStable = !entry.exclusive;
    entry.source = (entry.copies & HomeEntry.bit(self)) != 0 ? self : entry.owner;
    entry.exclusive = false;
    if (isStable && readsByRdma && entry.source != self) {
      fetches++;
      outbox.send(from, new DsmMessage.Fetch(minipage, entry.op, entry.source));
    } else {
      forwards++;
      outbox.send(entry.source, new DsmMessage.ForwardRead(minipage, entry.op, from));
    }
  }

  private void startWrite(int minipage, HomeEntry entry) {
    int from = entry.current.from();
    boolean hasCopy = (entry.copies & HomeEntry.bit(from)) != 0;
    entry.source = hasCopy ? -1 : entry.owner;
    entry.invalidating = entry.copies & ~HomeEntry.bit(from) & (hasCopy ? -1L : ~HomeEntry.bit(entry.owner));
    entry.invalidated = entry.invalidating;
    entry.stage = Stage.INVALIDATING;
    for (long left = entry.invalidating; left != 0; left &= left - 1) {
      invalidations++;
      outbox.send(Long.numberOfTrailingZeros(left), new DsmMessage.Invalidate(minipage, entry.op));
    }
    serveWrite(minipage, entry);
  }

  /** Serves a write when no other node may read the minipage any more. */
  private void serveWrite(int minipage, HomeEntry entry) {
    if (entry.invalidating != 0) {
      return;
    }
    entry.stage = Stage.SERVING;
    if (entry.source < 0) {
      outbox.send(entry.current.from(), new DsmMessage.Grant(minipage, entry.op, true));
    } else {
      forwards++;
      outbox.send(entry.source, new DsmMessage.ForwardWrite(minipage, entry.op, entry.current.from()));
    }
  }

  /** Answers a node that leaves, or returns the request that must be served before: this node takes a copy itself. */
  private Request beforeMark(int minipage, HomeEntry entry, Request mark) {
    boolean hasCopy = (entry.copies & HomeEntry.bit(mark.from())) != 0;
    boolean isAlone = (entry.copies & staying.getAsLong() & ~HomeEntry.bit(mark.from())) == 0;
    if (hasCopy && isAlone && (staying.getAsLong() & HomeEntry.bit(self)) != 0) {
      if (mark.isServedBefore()) {
        return null; // The copy did not help: the leaving node will report that it could not give the minipage away.
      }
      entry.waiting.addFirst(mark.servedBefore());
      return new Request(self, false);
    }
    outbox.send(mark.from(), new DsmMessage.Safe(minipage, mark.mark()));
    return null;
  }

  /** A node has given its copy up, or has answered that it has none. Returns false if this home no longer expects that. */
  boolean onInvalidated(int minipage, HomeEntry entry, int from) {
    if (entry.stage == Stage.ASKING && entry.current.from() == from) {
      serveFromAnother(minipage, entry);
      next(minipage, entry);
      return true;
    }
    if (entry.stage == Stage.INVALIDATING && (entry.invalidating & HomeEntry.bit(from)) != 0) {
      entry.invalidating &= ~HomeEntry.bit(from);
      entry.copies &= ~HomeEntry.bit(from);
      serveWrite(minipage, entry);
      return true;
    }
    return false;
  }

  /** Whether the requester reads by RDMA. */
  boolean isFetched(HomeEntry entry) {
    return !entry.current.isWrite() && !entry.wasExclusive && readsByRdma && entry.source >= 0 && entry.source != self;
  }

  /** No node has the minipage any more. */
  void lose(HomeEntry entry) {
    if (!entry.lost) {
      entry.lost = true;
      lostCount++;
    }
    entry.copies = 0;
    entry.exclusive = false;
  }

  /** A node is lost, and {@code members} does not contain it. */
  void onNodeLost(int minipage, HomeEntry entry, int node) {
    entry.waiting.removeIf(request -> request.from() == node);
    entry.copies &= ~HomeEntry.bit(node);
    if (entry.gathering) {
      return;
    }
    if (entry.current == null) {
      chooseOwner(entry, node);
    } else if (entry.current.from() == node) {
      requesterLost(minipage, entry);
    } else if (entry.stage == Stage.INVALIDATING) {
      if (entry.source == node) {
        serveFromAnother(minipage, entry);
      } else {
        entry.invalidating &= ~HomeEntry.bit(node);
        serveWrite(minipage, entry);
      }
    } else if (entry.stage == Stage.SERVING && entry.source == node) {
      entry.stage = Stage.ASKING;
      entry.op++;
      outbox.send(entry.current.from(), new DsmMessage.Ask(minipage, entry.op, node));
    }
    next(minipage, entry);
  }

  /** No request is served: another copy takes the owner's place, or the minipage is lost. */
  private void chooseOwner(HomeEntry entry, int node) {
    if (entry.owner != node || entry.lost) {
      return;
    }
    entry.exclusive = false;
    if (entry.copies == 0) {
      lose(entry);
    } else {
      entry.owner = Long.numberOfTrailingZeros(entry.copies);
    }
  }

  /** Returns the nodes that stay, or all of {@code nodes} if none of them stays. */
  private long rather(long nodes) {
    long stay = nodes & staying.getAsLong();
    return stay == 0 ? nodes : stay;
  }

  private void requesterLost(int minipage, HomeEntry entry) {
    boolean isWrite = entry.current.isWrite();
    if (entry.stage == Stage.INVALIDATING) {
      // No node has written: the nodes that gave their copies up still have the data, and one of them gets the minipage back.
      long keepers = rather(entry.invalidated & members.getAsLong());
      if (entry.source < 0 && keepers != 0) {
        boolean ownerKeeps = (keepers & HomeEntry.bit(entry.owner)) != 0;
        entry.current = new Request(ownerKeeps ? entry.owner : Long.numberOfTrailingZeros(keepers), true);
        serveWrite(minipage, entry);
        return;
      }
      entry.current = null; // A node that has not answered yet may still read, so it counts as a node with a copy.
      chooseOwner(entry, entry.copies == 0 ? entry.owner : -1);
      return;
    }
    entry.current = null;
    entry.op++;
    if (isWrite) {
      lose(entry); // The lost node may have written, and others may have seen consequences of that.
    } else {
      entry.exclusive = entry.wasExclusive && entry.copies == HomeEntry.bit(entry.owner); // The owner may not have given up its right to write yet.
      chooseOwner(entry, (entry.copies & HomeEntry.bit(entry.owner)) == 0 ? entry.owner : -1);
    }
  }

  /** The requester has no copy, and the node that should send the data is lost. */
  private void serveFromAnother(int minipage, HomeEntry entry) {
    // For a write, the frame of a node that gives its copy up is valid until a node writes.
    long keepers = rather((entry.current.isWrite() ? entry.invalidated : entry.copies) & members.getAsLong());
    if (keepers == 0) {
      int from = entry.current.from();
      entry.current = null;
      lose(entry);
      outbox.send(from, new DsmMessage.Lost(minipage));
      return;
    }
    int keeper = Long.numberOfTrailingZeros(keepers);
    if (entry.current.isWrite()) {
      entry.source = keeper;
      serveWrite(minipage, entry);
    } else {
      entry.owner = keeper;
      entry.op++;
      startRead(minipage, entry);
    }
  }

  /** How often an owner had to send data. */
  long forwards() {
    return forwards;
  }

  /** How often a requester read by RDMA. */
  long fetches() {
    return fetches;
  }

  /** Number of copies that were given up. */
  long invalidations() {
    return invalidations;
  }

  /** Number of entries that have no copy. */
  int lostCount() {
    return lostCount;
  }

  /** An entry that has no copy is forgotten. */
  void forgetLost() {
    lostCount--;
  }
}
