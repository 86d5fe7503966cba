package dev.weft.lab.seed000;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ReceiveContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** The end of a ping-pong that sends a request as soon as it has the reply to the one before. */
final class PingPongClient extends PingPongSide {
  private final Clock clock;
  private final int rounds;
  private final long selectivePollNs;
  private final LongConsumer latencies;
  private final Runnable finished;
  private long sentNs;
  private long round;

  /**
   * @param setup rounds, length of messages and selective polling
   * @param latencies told of each round trip, in nanoseconds, in this side's context
   * @param finished called in this side's context after the last round
   */
  PingPongClient(Node node, ReceiveContext context, ReceiveContextExperiment.Setup setup, LongConsumer latencies, Runnable established,
      Runnable finished, Consumer<String> failed) {
    super(node, context, setup.messageBytes(), established, failed);
    this.clock = node.context().clock();
    this.rounds = setup.warmup() + setup.rounds();
    this.selectivePollNs = setup.selectivePollNs();
    this.latencies = latencies;
    this.finished = finished;
  }

  /** Sends the next request. */
  void begin() {
    sentNs = clock.nowNs();
    send(round);
    if (selectivePollNs > 0) {
      endpoint.expectReply(selectivePollNs);
    }
  }

  @Override
  public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
    latencies.accept(clock.nowNs() - sentNs);
    long answered = buffer.get(ValueLayout.JAVA_LONG, offset);
    if (answered != round) {
      fail("round " + round + " was answered with " + answered);
    } else if (++round == rounds) {
      finished.run();
    } else {
      begin();
    }
  }
}
