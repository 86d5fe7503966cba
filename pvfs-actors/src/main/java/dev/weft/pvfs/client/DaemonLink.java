package dev.weft.pvfs.client;

import dev.weft.hca.link.Backlog;
import dev.weft.hca.link.Link;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import java.util.ArrayDeque;
import java.util.Comparator;

/** The connection to one I/O daemon: credits, waiting requests, and requests without an answer. */
final class DaemonLink extends Link {
  /**
   * After so many lost connections with a request under way, that request is sent alone: the next loss then shows whether it is the cause, and harms
   * no other request.
   */
  private static final int SUSPECT_LOSSES = 2;

  final DaemonAddress address;
  final Backlog<DaemonTask> requests = new Backlog<>(Comparator.comparingLong(part -> part.id));
  final ArrayDeque<DaemonTask> waiting = requests.waiting();
  /** Requests with a buffer of the daemon that have RDMA requests or a message to send, in order. */
  final ArrayDeque<DaemonTask> direct = new ArrayDeque<>();
  /** Buffers that are lent to the daemon; they also hold data that is written to the daemon's own buffers. */
  final MemoryRegion fast;
  final int slotBytes;
  /** Chooses bands; null if the thresholds do. */
  final BandTuner tuner;
  final UnsyncedChanges unsynced = new UnsyncedChanges(UnsyncedChanges.FILES_MAX);
  private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
  /** The daemon's latest hello, kept when the connection is lost; null before the first one. */
  Hello theirs;
  /** A new daemon in memory has replaced another one. */
  boolean hasLostAll;
  /** The request under way must be the only one. */
  private boolean isAlone;
  long nextId = 1;
  long sentCount;
  long losses;
  /** When the connection was lost; before the first connection, when the client began to connect. */
  long lostNs;
  /** The next request waits for its {@link Fence}. */
  boolean isUnsure;
  private long unsureNs;

  DaemonLink(DaemonAddress address, MemoryRegion fast, int slotBytes, BandTuner tuner, long nowNs) {
    super("it was not reached yet");
    this.lostNs = nowNs;
    this.address = address;
    this.fast = fast;
    this.slotBytes = slotBytes;
    this.tuner = tuner;
  }

  /** Whether this is a different daemon than before, which may lack changes that were acknowledged. */
  boolean isAnother(Hello hello) {
    return theirs != null && theirs.instance() != hello.instance();
  }

  void up(Hello hello, int fastSlots) {
    theirs = hello;
    up();
    requests.granted(hello.credits());
    freeSlots.clear();
    for (int i = 0; i < Math.min(fastSlots, hello.fastSlots()); i++) {
      freeSlots.add(i);
    }
  }

  /** Unanswered requests wait again, before all others, in the order in which they were sent. */
  void down(boolean wasUp, long nowNs) {
    lostNs = wasUp ? nowNs : lostNs;
    isAlone = false;
    isUnsure = false;
    losses++;
    direct.clear();
    for (DaemonTask part : requests.takeBack()) {
      part.fastSlot = -1;
      part.hasLoan = false;
      part.losses++;
    }
    waiting.forEach(part -> {
      part.band = null; // The next connection may carry less.
      part.isTimed = false;
    });
  }

  /** Returns how long the next request has waited for its fence; the first call begins the wait. */
  long unsureForNs(long nowNs) {
    unsureNs = isUnsure ? unsureNs : nowNs;
    isUnsure = true;
    return nowNs - unsureNs;
  }

  /** Removes the next request from the queue. */
  void takeNext() {
    waiting.poll();
    isUnsure = false;
  }

  /** Whether a request must not be sent while others are under way. */
  boolean mustWait(DaemonTask part) {
    return isAlone || isSuspect(part) && requests.sentCount() > 0;
  }

  private static boolean isSuspect(DaemonTask part) {
    return part.losses >= SUSPECT_LOSSES;
  }

  void onSent(DaemonTask part) {
    requests.sent(part.id, part);
    isAlone = isSuspect(part);
  }

  void onAnswered(DaemonTask part) {
    requests.remove(part.id);
    isAlone = false;
  }

  /** Returns a free slot, -1 if there is none. */
  int takeSlot() {
    Integer slot = freeSlots.poll();
    return slot == null ? -1 : slot;
  }

  void giveSlot(int slot) {
    freeSlots.add(slot);
  }

  /** Returns the longest data of a fast request in either direction. */
  int fastBytes() {
    return theirs == null || fast == null || theirs.fastSlots() == 0 ? 0 : Math.min(slotBytes, theirs.slotBytes()) - DaemonRequest.BYTES_MAX;
  }

  /** Returns the longest data of a message. */
  int inlineBytes() {
    return theirs == null ? 0 : theirs.inlineBytes();
  }
}
