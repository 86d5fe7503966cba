package dev.weft.tripwire.mpi;

import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Brings messages and receives together: by communicator, source and tag, each in the order in which they came, so that messages do not
 * overtake each other and the first receive gets the first message that fits it. Bounds: the requests of this rank, and what its peers
 * are allowed to send.
 */
final class Matching {
  private final ArrayDeque<Request> posted = new ArrayDeque<>();
  private final ArrayDeque<Arrival> unexpected = new ArrayDeque<>();

  private static boolean fits(int wantedSource, int wantedTag, int wantedContext, int source, int tag, int context) {
    return wantedContext == context && (wantedSource == Communicator.ANY_SOURCE || wantedSource == source)
        && (wantedTag == Communicator.ANY_TAG || wantedTag == tag);
  }

  /** A receive for which no message is there. */
  void post(Request receive) {
    posted.add(receive);
  }

  /** The first receive that wants such a message, which is no longer posted; null if there is none. */
  Request takePosted(int source, int tag, int context) {
    for (Iterator<Request> each = posted.iterator(); each.hasNext(); ) {
      Request receive = each.next();
      if (fits(receive.peer, receive.tag, receive.context, source, tag, context)) {
        each.remove();
        return receive;
      }
    }
    return null;
  }

  /** A message that no posted receive wants. */
  void add(Arrival arrival) {
    unexpected.add(arrival);
  }

  /** The oldest message that fits; null if there is none. */
  Arrival peek(int source, int tag, int context) {
    for (Arrival arrival : unexpected) {
      if (fits(source, tag, context, arrival.source(), arrival.tag(), arrival.context())) {
        return arrival;
      }
    }
    return null;
  }

  /** The same, and takes it. */
  Arrival take(int source, int tag, int context) {
    Arrival found = peek(source, tag, context);
    if (found != null) {
      for (Iterator<Arrival> each = unexpected.iterator(); each.hasNext(); ) {
        if (each.next() == found) {
          each.remove();
          break;
        }
      }
    }
    return found;
  }

  /** Takes back a receive; false if it was not posted. */
  boolean cancel(Request receive) {
    return posted.remove(receive);
  }

  /** Nothing will be matched any more. */
  void failAll(ErrorClass errorClass, String reason) {
    posted.forEach(receive -> receive.fail(errorClass, reason));
    posted.clear();
    for (Arrival arrival : unexpected) {
      if (arrival.local() != null) {
        arrival.local().fail(errorClass, reason);
      }
    }
  }

  int postedCount() {
    return posted.size();
  }

  int unexpectedCount() {
    return unexpected.size();
  }
}
