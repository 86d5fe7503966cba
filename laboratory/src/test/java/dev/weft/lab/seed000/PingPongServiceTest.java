package dev.weft.lab.seed000;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.seed000.ReceiveContextExperiment.Result;
import dev.weft.lab.seed000.ReceiveContextExperiment.Setup;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server's end of a ping-pong that its client cannot reach into. */
@Tag("actor")
@Isolated("It measures in real time.")
@Timeout(180)
class PingPongServiceTest {
  private static final int ROUNDS = 200;

  @ParameterizedTest
  @EnumSource(ReceiveContext.class)
  void shouldAnswerInTheContextThatTheClientAsksForAsOftenAsItConnects(ReceiveContext context) throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
        PingPongService _ = PingPongService.offer(fabric.addNode("server"))) {
      Node client = fabric.addNode("client");
      for (int turn = 0; turn < 3; turn++) {
        Result result = ReceiveContextExperiment.between(client, ReceiveContext.ISR, "server", Setup.of(context, ROUNDS, 0));
        assertEquals(ROUNDS, result.roundTrips().getTotalCount());
      }
    }
  }

  @Test
  void shouldLetNoPollerGoOnWhenItsClientHasGone() throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
        PingPongService _ = PingPongService.offer(fabric.addNode("lonely"))) {
      Node client = fabric.addNode("client");
      ReceiveContextExperiment.between(client, ReceiveContext.POLLING, "lonely", Setup.of(ReceiveContext.POLLING, ROUNDS, 0));
      long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
      while (pollers() > 0 && System.nanoTime() < endNs) {
        Thread.sleep(5);
      }
      assertEquals(0, pollers());
    }
  }

  private static long pollers() {
    return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("weft-poll-lonely-")).count();
  }

  @Test
  void shouldSayThatNobodyAnswers() {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty())) {
      Node client = fabric.addNode("client");
      fabric.addNode("server");
      IllegalStateException refused = assertThrows(IllegalStateException.class, () -> ReceiveContextExperiment.between(client,
          ReceiveContext.ISR, "server", Setup.of(ReceiveContext.ISR, ROUNDS, 0)));
      assertTrue(refused.getMessage().contains("rejected"), refused.getMessage());
    }
  }
}
