package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.pvfs.wire.Hello;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PatienceTest {
  private final Patience patience = new Patience();
  private final AtomicLong completed = new AtomicLong();
  private final DaemonClient client = client(completed);

  private static DaemonClient client(AtomicLong completed) {
    MessageChannel channel = (MessageChannel) Proxy.newProxyInstance(PatienceTest.class.getClassLoader(), new Class<?>[] {MessageChannel.class},
        (_, method, _) -> method.getName().equals("completed") ? completed.get() : null);
    return new DaemonClient("node", channel, new Hello(1, 1, 0, 0, 0, 0, 0), null, 0, 1, null);
  }

  private void assertNobody(Map<DaemonClient, Long> oldest, int looks) {
    for (int look = 0; look < looks; look++) {
      assertEquals(List.of(), patience.look(oldest));
    }
  }

  @Test
  void shouldFindWhoTakesNothingInSeveralLooks() {
    assertNobody(Map.of(client, 5L), Patience.LOOKS);
    assertEquals(List.of(client), patience.look(Map.of(client, 5L)));
  }

  @Test
  void shouldBeginAnewWhereSomethingWasTaken() {
    assertNobody(Map.of(client, 5L), Patience.LOOKS);
    assertNobody(Map.of(client, 6L), Patience.LOOKS);
    completed.incrementAndGet();
    assertNobody(Map.of(client, 6L), Patience.LOOKS);
    assertNobody(Map.of(), 1);
    assertNobody(Map.of(client, 6L), Patience.LOOKS);
    patience.forget();
    assertNobody(Map.of(client, 6L), Patience.LOOKS);
  }

  @Test
  void shouldFindTheOneAmongOthers() {
    DaemonClient busy = client(new AtomicLong());
    for (int look = 0; look < Patience.LOOKS; look++) {
      assertNobody(Map.of(client, 5L, busy, (long) look), 1);
    }
    assertEquals(List.of(client), patience.look(Map.of(client, 5L, busy, 99L)));
  }
}
