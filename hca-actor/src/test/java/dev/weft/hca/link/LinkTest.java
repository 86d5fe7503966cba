package dev.weft.hca.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.MessageChannel;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The orders of events of a connection that is made again after each loss. */
class LinkTest {
  private static final byte[] WRONG = {9};

  private static final class Line extends Link {
    private Line() {
      super("not yet");
    }
  }

  private final List<String> did = new ArrayList<>();
  private final Line link = new Line();
  private Link.Attempt dialed;
  private Link.Attempt planned;
  private boolean isFull;
  private final Connector<Line> connector = new Connector<>(Line.class, new Client());

  private final class Client implements Connector.Client<Line> {
    @Override
    public MessageChannel dial(Line to, Link.Attempt attempt) {
      if (isFull) {
        throw new OutOfMemoryError("full");
      }
      dialed = attempt;
      did("dial " + attempt.number());
      return recorded(MessageChannel.class, "channel " + attempt.number());
    }

    @Override
    public void onEstablished(Line to, byte[] answer) {
      if (answer.length > 0) {
        connector.lose(link, "wrong hello", true);
      } else {
        link.up();
      }
    }

    @Override
    public void onEnded(Line from, ConnectionEvent event) {
      connector.lose(from, Connector.why(event, _ -> "denied"), true);
    }

    @Override
    public void onEndedEarlier(Line from, ConnectionEvent event) {
      did("earlier");
    }

    @Override
    public long onLost(Line of, String why, boolean wasUp) {
      did("lost" + (wasUp ? " up: " : ": ") + why);
      return wasUp ? 0 : 5;
    }

    @Override
    public void later(long delayNs, Link.Attempt attempt) {
      planned = attempt;
      did("after " + delayNs);
    }
  }

  private void did(String what) {
    did.add(what);
  }

  private <T> T recorded(Class<T> type, String name) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, _) -> {
      if (!method.getName().equals("attach")) {
        did(method.getName() + " " + name);
      }
      return null;
    }));
  }

  private void assertDid(String... what) {
    assertEquals(List.of(what), did);
    did.clear();
  }

  private void established(Link.Attempt attempt, byte... answer) {
    connector.onEvent(new ConnectionEvent.Established(attempt, recorded(Connection.class, "connection " + attempt.number()), answer));
  }

  private void rejected(Link.Attempt attempt, RejectReason reason) {
    connector.onEvent(new ConnectionEvent.Rejected(attempt, reason, new byte[0]));
  }

  private void disconnected(Link.Attempt attempt, boolean nodeLost) {
    connector.onEvent(new ConnectionEvent.Disconnected(attempt, null, nodeLost));
  }

  private Link.Attempt connect() {
    connector.connect(link);
    did.clear();
    return dialed;
  }

  @Test
  void shouldBeUpWhenTheServiceHasAnswered() {
    established(connect());
    assertTrue(link.isUp());
    assertEquals("", link.why());
    assertDid();
  }

  @Test
  void shouldTryAgainLaterWhenItIsRefused() {
    rejected(connect(), RejectReason.TIMEOUT);
    assertDid("close channel 1", "lost: its connection was refused: TIMEOUT", "after 5");
    assertTrue(planned.isCurrent());
    assertNull(link.channel());
    rejected(connect(), RejectReason.CONSUMER);
    assertEquals("denied", link.why());
  }

  @Test
  void shouldDisconnectAConnectionThatComesAfterItWasAbandoned() {
    Link.Attempt first = connect();
    connector.lose(link, "no answer in time", true);
    assertDid("close channel 1", "lost: no answer in time", "after 5");
    established(first);
    assertDid("disconnect connection 1");
    assertFalse(link.isUp());
    established(connect());
    assertTrue(link.isUp());
  }

  @Test
  void shouldDisconnectALateConnectionWhileTheNextAttemptIsUnderWay() {
    Link.Attempt first = connect();
    connector.lose(link, "no answer in time", true);
    Link.Attempt second = connect();
    established(first);
    assertDid("disconnect connection 1");
    established(second);
    assertTrue(link.isUp());
  }

  @Test
  void shouldTryAgainWhenTheServiceDisconnectsBeforeItsHelloIsAnswered() {
    disconnected(connect(), false);
    assertDid("close channel 1", "lost: it disconnected", "after 5");
  }

  @Test
  void shouldDisconnectAServiceWithAWrongHello() {
    established(connect(), WRONG);
    assertDid("disconnect connection 1", "close channel 1", "lost: wrong hello", "after 5");
    assertFalse(link.isUp());
  }

  @Test
  void shouldReportALossOnceWhenTheServiceDisconnectsTwice() {
    Link.Attempt attempt = connect();
    established(attempt);
    disconnected(attempt, true);
    assertDid("disconnect connection 1", "close channel 1", "lost up: its node was lost", "after 0");
    disconnected(attempt, true);
    assertDid("earlier");
  }

  @Test
  void shouldKeepTheServiceInTheDarkWhenItIsToKeepItsState() {
    established(connect());
    connector.lose(link, "silent", false);
    assertDid("close channel 1", "lost up: silent", "after 0");
  }

  @Test
  void shouldReplaceAPlannedAttemptByALoss() {
    rejected(connect(), RejectReason.TIMEOUT);
    Link.Attempt first = planned;
    connector.lose(link, "again", true);
    assertFalse(first.isCurrent());
    assertTrue(planned.isCurrent());
  }

  @Test
  void shouldTryAgainWhenThereIsNoRoomForAConnection() {
    isFull = true;
    assertThrows(OutOfMemoryError.class, () -> connector.connect(link));
    connector.lose(link, "full", true);
    assertDid("lost: full", "after 5");
  }

  @Test
  void shouldEndForGoodWhenItIsStoppedWhileConnecting() {
    Link.Attempt attempt = connect();
    link.stop();
    assertDid("close channel 1");
    established(attempt);
    assertDid("disconnect connection 1");
    link.stop();
    assertDid();
  }

  @Test
  void shouldDisconnectWhenItIsStopped() {
    established(connect());
    link.stop();
    assertDid("disconnect connection 1", "close channel 1");
    assertFalse(link.isUp());
  }

  @Test
  void shouldHoldRequestsBackWhenCreditsAreUsedUp() {
    Backlog<Long> backlog = new Backlog<>(Comparator.naturalOrder());
    backlog.granted(2);
    assertFalse(backlog.maySend());
    backlog.waiting().addAll(List.of(1L, 2L, 3L));
    send(backlog);
    send(backlog);
    assertFalse(backlog.maySend());
    assertEquals(2, backlog.sentCount());
    assertEquals(1L, backlog.remove(1));
    assertNull(backlog.remove(1));
    backlog.returned(1);
    assertTrue(backlog.maySend());
  }

  @Test
  void shouldSendUnansweredRequestsBeforeWaitingOnesAfterALoss() {
    Backlog<Long> backlog = new Backlog<>(Comparator.naturalOrder());
    backlog.granted(4);
    backlog.waiting().addAll(List.of(100L, 200L, 300L, 400L, 500L));
    for (int i = 0; i < 4; i++) {
      send(backlog);
    }
    backlog.remove(200);
    assertEquals(List.of(100L, 300L, 400L), backlog.takeBack());
    assertEquals(List.of(100L, 300L, 400L, 500L), List.copyOf(backlog.waiting()));
    assertFalse(backlog.maySend());
    backlog.granted(1);
    send(backlog);
    assertEquals(List.of(300L, 400L, 500L, 100L), backlog.clear());
    assertTrue(backlog.waiting().isEmpty());
  }

  private static void send(Backlog<Long> backlog) {
    long request = backlog.waiting().remove();
    backlog.sent(request, request);
  }
}
