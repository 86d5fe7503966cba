package dev.weft.dsm.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayList;
import java.util.List;

/** Keeps what is sent until a test has looked at it. */
final class SentMessages implements Outbox {
  private final List<String> sent = new ArrayList<>();

  @Override
  public void send(int node, DsmMessage message) {
    sent.add(told(node, message));
  }

  private static String told(int node, DsmMessage message) {
    return "to " + node + ": " + message;
  }

  /** That this, and nothing else, was sent since the last look. */
  void shouldBe(int node, DsmMessage message) {
    assertEquals(List.of(told(node, message)), take());
  }

  void shouldBe(int node, DsmMessage message, int other, DsmMessage next) {
    assertEquals(List.of(told(node, message), told(other, next)), take());
  }

  void shouldBeNothing() {
    assertEquals(List.of(), take());
  }

  private List<String> take() {
    List<String> taken = List.copyOf(sent);
    sent.clear();
    return taken;
  }
}
