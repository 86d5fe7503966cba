package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.lab.kit.Draw;
import java.util.function.BiConsumer;

/** A completion queue of the run, and how its consumer empties it: by polling now and then, or in its handler. */
final class SimCq {
  private static final int BATCH_MAX = 8;

  final SimNode node;
  final int number;
  final ReceiveContext context;
  /** Whether it is armed for solicited completions only, and also polled slowly. */
  final boolean solicitedOnly;
  final int pollPauseMaxNs;
  private final WorkCompletion[] batch;
  private final WorkCompletion single = new WorkCompletion();
  private BiConsumer<SimCq, WorkCompletion> consumer;
  CompletionQueue cq;
  /** Maximum number of waiting completions. */
  int capacity;
  long polled;

  SimCq(SimNode node, int number, Draw draw) {
    this.node = node;
    this.number = number;
    ReceiveContext[] contexts = ReceiveContext.values();
    context = draw.chance(0.4) ? ReceiveContext.POLLING : contexts[draw.between(0, contexts.length - 1)];
    solicitedOnly = context != ReceiveContext.POLLING && draw.chance(0.3);
    pollPauseMaxNs = draw.pick(3_000, 20_000, 100_000);
    batch = new WorkCompletion[draw.between(1, BATCH_MAX)];
    for (int i = 0; i < batch.length; i++) {
      batch[i] = new WorkCompletion();
    }
  }

  boolean isPolled() {
    return context == ReceiveContext.POLLING || solicitedOnly;
  }

  /** Sets the consumer of its completions. */
  void join(BiConsumer<SimCq, WorkCompletion> completions) {
    consumer = completions;
  }

  void create() {
    cq = node.hca.createCq(Math.max(1, capacity), context, context == ReceiveContext.POLLING ? null : this::onEvent);
  }

  void start() {
    if (context != ReceiveContext.POLLING) {
      cq.arm(solicitedOnly);
    }
  }

  private void onEvent(CompletionQueue queue) {
    do {
      drain();
    } while (queue.arm(solicitedOnly) == CompletionQueue.Armed.COMPLETIONS_WAITING);
  }

  /** Polls until the queue is empty. */
  void drain() {
    if (batch.length == 1) {
      while (cq.poll(single)) {
        consume(single);
      }
      return;
    }
    for (int count = cq.poll(batch); count > 0; count = cq.poll(batch)) {
      for (int i = 0; i < count; i++) {
        consume(batch[i]);
      }
    }
  }

  private void consume(WorkCompletion wc) {
    polled++;
    consumer.accept(this, wc);
  }
}
