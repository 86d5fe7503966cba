package dev.weft.tripwire.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class MatchingTest {
  private static final int ANY = Communicator.ANY_SOURCE;
  private final Matching matching = new Matching();

  private static Request receive(int source, int tag, int context) {
    return new Request(null, Request.Kind.RECEIVE, MemorySegment.ofArray(new byte[8]), source, tag, context);
  }

  private static Arrival arrival(int source, int tag, int context, int id) {
    return new Arrival(source, tag, context, 8, new byte[8], id, null);
  }

  @Test
  void shouldGiveAMessageToTheFirstReceiveThatWantsIt() {
    Request other = receive(1, 5, 0);
    Request any = receive(ANY, ANY, 0);
    Request exact = receive(2, 5, 0);
    matching.post(other);
    matching.post(any);
    matching.post(exact);
    assertSame(any, matching.takePosted(2, 5, 0));
    assertSame(exact, matching.takePosted(2, 5, 0));
    assertNull(matching.takePosted(2, 5, 0));
    assertNull(matching.takePosted(1, 5, 2), "another communicator");
    assertSame(other, matching.takePosted(1, 5, 0));
    assertEquals(0, matching.postedCount());
  }

  @Test
  void shouldGiveAReceiveTheOldestMessageThatFits() {
    matching.add(arrival(1, 5, 2, 10));
    matching.add(arrival(2, 6, 0, 11));
    matching.add(arrival(1, 5, 0, 12));
    matching.add(arrival(1, 5, 0, 13));
    assertEquals(11, matching.peek(ANY, ANY, 0).id());
    assertEquals(12, matching.take(1, ANY, 0).id());
    assertEquals(13, matching.take(ANY, 5, 0).id());
    assertEquals(11, matching.take(ANY, ANY, 0).id());
    assertNull(matching.take(ANY, ANY, 0));
    assertEquals(1, matching.unexpectedCount());
  }

  @Test
  void shouldFailWhatWaitsWhenNothingComesAnyMore() {
    Request receive = receive(1, 5, 0);
    Request send = new Request(null, Request.Kind.SEND, MemorySegment.ofArray(new byte[8]), 0, 1, 0);
    matching.post(receive);
    matching.add(new Arrival(0, 1, 0, 8, null, 0, send));
    matching.failAll(ErrorClass.PROC_FAILED, "gone");
    assertEquals(ErrorClass.PROC_FAILED, assertThrows(MpiException.class, receive::take).errorClass());
    assertEquals(ErrorClass.PROC_FAILED, assertThrows(MpiException.class, send::take).errorClass());
  }
}
