package dev.weft.hca.cm;

import java.util.HashMap;
import java.util.Map;

/** The look-ups of datagram services that wait for an answer, at most {@code connections-max}. Hardware thread. */
final class DatagramLookups {
  private final Map<Long, DatagramObserver> waiting = new HashMap<>();
  private final int waitingMax;
  private long nextId = 1;

  DatagramLookups(int waitingMax) {
    this.waitingMax = waitingMax;
  }

  int size() {
    return waiting.size();
  }

  boolean isFull() {
    return waiting.size() >= waitingMax;
  }

  long open(DatagramObserver observer) {
    long id = nextId++;
    waiting.put(id, observer);
    return id;
  }

  /** Completes a look-up with its address; ignores late and duplicate answers. */
  void resolved(long id, DatagramAddress address) {
    DatagramObserver observer = waiting.remove(id);
    if (observer != null) {
      observer.onResolved(address);
    }
  }

  void rejectAll(RejectReason reason) {
    for (long id : waiting.keySet().stream().sorted().toList()) {
      rejected(id, reason);
    }
  }

  void rejected(long id, RejectReason reason) {
    DatagramObserver observer = waiting.remove(id);
    if (observer != null) {
      observer.onRejected(reason);
    }
  }
}
