package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.MetaEvent;
import dev.weft.pvfs.wire.MetaReply;
import java.util.ArrayDeque;
import java.util.List;

/**
 * What a session is to be told, in order, until it says that it has done it. It has at most one request for that outstanding, which waits here. Bound:
 * {@link #CHANGES_MAX} changes, which become one; other events are bounded by the locks of a session. One thread.
 */
final class EventStream {
  static final int CHANGES_MAX = 16_384;

  /** Tells this stream from another one of the same session, which knows nothing of what was told before. */
  final long epoch;
  private final ArrayDeque<MetaEvent> events = new ArrayDeque<>();
  private long next = 1;
  private int changes;
  private long asking;
  private long askedNs;
  /** Until when the client may believe what it remembers, if it hears nothing. */
  private long leaseEndNs;

  EventStream(long epoch, long leaseEndNs) {
    this.epoch = epoch;
    this.leaseEndNs = leaseEndNs;
  }

  /** Its number, by which the client says that it has done it. */
  long add(MetaEvent.Kind kind, long subject) {
    if (kind == MetaEvent.Kind.CHANGED && ++changes > CHANGES_MAX) {
      events.removeIf(event -> event.kind() == MetaEvent.Kind.CHANGED);
      changes = 0;
      return add(MetaEvent.Kind.ALL_CHANGED, 0);
    }
    events.add(new MetaEvent(next, kind, subject));
    return next++;
  }

  /** The client has done everything up to a number, and waits for what comes then. */
  void ask(long request, long doneTo, long nowNs) {
    while (!events.isEmpty() && events.peek().number() <= doneTo) {
      changes -= events.poll().kind() == MetaEvent.Kind.CHANGED ? 1 : 0;
    }
    changes = Math.max(changes, 0);
    asking = request;
    askedNs = nowNs;
  }

  /** The answer that is due: there are events, or the client has waited for {@code waitNs}. Null if there is none. */
  MetaReply answer(long nowNs, long waitNs, long leaseNs) {
    if (asking == 0 || events.isEmpty() && nowNs - askedNs < waitNs) {
      return null;
    }
    List<MetaEvent> page = events.stream().limit(MetaEvent.MAX).toList();
    MetaReply reply = MetaReply.of(asking, epoch, MetaEvent.encode(leaseNs, page));
    asking = 0;
    leaseEndNs = nowNs + leaseNs;
    return reply;
  }

  /** Its connection is lost: the client asks again. */
  void disconnected() {
    asking = 0;
  }

  boolean isLeaseOver(long nowNs) {
    return nowNs - leaseEndNs >= 0;
  }

  int size() {
    return events.size();
  }
}
