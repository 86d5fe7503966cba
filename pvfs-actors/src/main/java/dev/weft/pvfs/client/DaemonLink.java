package dev.weft.pvfs.client;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;

/** The connection to one I/O daemon: what it has granted, what waits for it, what it has to answer. */
final class DaemonLink {
  /** Of connections with a request under way, after which it is under way alone: the next loss shows whether it is of its own making, and harms no other. */
  private static final int SUSPECT_LOSSES = 2;

  final DaemonAddress address;
  /** Not sent yet, in order. */
  final ArrayDeque<DaemonTask> waiting = new ArrayDeque<>();
  /** Sent and not answered, by id. */
  final Long2ObjectHashMap<DaemonTask> sent = new Long2ObjectHashMap<>();
  /** That have a buffer of the daemon, and RDMA requests or a message to send, in order. */
  final ArrayDeque<DaemonTask> direct = new ArrayDeque<>();
  /** Lent to the daemon, and where data lies that is written to its own buffers. */
  final MemoryRegion fast;
  final int slotBytes;
  /** Chooses bands; null if the thresholds do. */
  final BandTuner tuner;
  final UnsyncedChanges unsynced = new UnsyncedChanges(UnsyncedChanges.FILES_MAX);
  private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
  MessageChannel channel;
  Connection connection;
  /** The last one, also when the connection is lost; null before the first. */
  Hello theirs;
  boolean isUp;
  /** One in memory is there in the place of another one. */
  boolean hasLostAll;
  int attempt;
  int credits;
  /** What is under way is so alone. */
  private boolean isAlone;
  String why = "it was not reached yet";
  long nextId = 1;
  long requests;
  long losses;
  /** When it was lost; or when it was to be reached for the first time, and was not yet. */
  long lostNs;
  /** The next request waits for its {@link Fence}. */
  boolean isUnsure;
  private long unsureNs;

  DaemonLink(DaemonAddress address, MemoryRegion fast, int slotBytes, BandTuner tuner, long nowNs) {
    this.lostNs = nowNs;
    this.address = address;
    this.fast = fast;
    this.slotBytes = slotBytes;
    this.tuner = tuner;
  }

  /** Whether this is another daemon than the one before, which may lack changes that were answered. */
  boolean isAnother(Hello hello) {
    return theirs != null && theirs.instance() != hello.instance();
  }

  void up(Hello hello, int fastSlots) {
    theirs = hello;
    isUp = true;
    why = "";
    credits = hello.credits();
    freeSlots.clear();
    for (int i = 0; i < Math.min(fastSlots, hello.fastSlots()); i++) {
      freeSlots.add(i);
    }
  }

  /** What was sent and not answered waits again, before all else, in the order in which it was sent. */
  void down(String reason, long nowNs) {
    lostNs = isUp ? nowNs : lostNs;
    isUp = false;
    why = reason;
    credits = 0;
    isAlone = false;
    isUnsure = false;
    losses++;
    List<DaemonTask> again = new ArrayList<>(sent.values());
    again.sort((one, other) -> Long.compare(one.id, other.id));
    sent.clear();
    direct.clear();
    for (int i = again.size(); i-- > 0;) {
      again.get(i).fastSlot = -1;
      again.get(i).hasLoan = false;
      again.get(i).losses++;
      waiting.addFirst(again.get(i));
    }
    waiting.forEach(part -> {
      part.band = null; // The next connection may carry less.
      part.isTimed = false;
    });
  }

  /** For how long the next request has waited for its fence; it begins to, if it has not. */
  long unsureForNs(long nowNs) {
    unsureNs = isUnsure ? unsureNs : nowNs;
    isUnsure = true;
    return nowNs - unsureNs;
  }

  /** The next request does not wait any more. */
  void takeNext() {
    waiting.poll();
    isUnsure = false;
  }

  /** Whether it must not be sent beside what is under way. */
  boolean mustWait(DaemonTask part) {
    return isAlone || isSuspect(part) && !sent.isEmpty();
  }

  private static boolean isSuspect(DaemonTask part) {
    return part.losses >= SUSPECT_LOSSES;
  }

  void onSent(DaemonTask part) {
    sent.put(part.id, part);
    isAlone = isSuspect(part);
  }

  void onAnswered(DaemonTask part) {
    sent.remove(part.id);
    isAlone = false;
  }

  /** -1 if none is free. */
  int takeSlot() {
    Integer slot = freeSlots.poll();
    return slot == null ? -1 : slot;
  }

  void giveSlot(int slot) {
    freeSlots.add(slot);
  }

  /** Longest data that a fast request of either direction may have. */
  int fastBytes() {
    return theirs == null || fast == null || theirs.fastSlots() == 0 ? 0 : Math.min(slotBytes, theirs.slotBytes()) - DaemonRequest.BYTES_MAX;
  }

  /** Longest data that a message may have. */
  int inlineBytes() {
    return theirs == null ? 0 : theirs.inlineBytes();
  }
}
