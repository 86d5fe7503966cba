package dev.weft.perftest;

import dev.weft.fabric.dispatch.Poller;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.service.CommandFailure;
import dev.weft.service.measure.LatencyRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs one measurement: connects, warms up, measures, asks the far side for its counts, disconnects. On an application thread. */
final class PerfRunner implements AutoCloseable {
  private static final long STALL_NS = TimeUnit.SECONDS.toNanos(20);
  private static final long REPORT_WAIT_NS = TimeUnit.SECONDS.toNanos(5);

  /** Duration of each slice, with the target parked or running. */
  private static final long SLICE_NS = TimeUnit.SECONDS.toNanos(1);
  /** Least time for which a parked application must not answer. A running application answers in less than a hundredth of it. */
  private static final long UNANSWERED_LEAST_NS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How often a latency test checks for a lost message. */
  private static final long LOSS_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(20);
  /** If no message has arrived for this time, the remaining messages are lost. */
  private static final long SETTLED_NS = TimeUnit.MILLISECONDS.toNanos(200);

  private final PerfFabric fabric;
  private final PerfParameters p;
  private final Node near;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final List<NearConnection> connections = new ArrayList<>();
  private final Drive drive;
  /** Whether the drive must be polled all the time, because not every event of the test causes a completion. */
  private final boolean polled;
  private final LatencyRecorder recorder = new LatencyRecorder();
  /** Messages and time of the measurement. */
  private long messages;
  private long elapsedNs;
  /** Messages of slices with a running target, which are measured for comparison. */
  private long besides;

  private PerfRunner(PerfFabric fabric, PerfParameters p) {
    this.fabric = fabric;
    this.p = p;
    near = fabric.near();
    pd = near.hca().allocPd();
    polled = p.rateOps() > 0 || (p.test().isPingPong() && p.operation() == PerfOperation.WRITE);
    boolean handled = p.context() == PerfContext.ISR && !polled;
    int cqe = Math.clamp((p.verify() ? 2L : 1L) * p.depth() * p.queuePairs() + 64, 128, near.hca().settings().completionsMax());
    cq = handled ? near.hca().createCq(cqe, ReceiveContext.ISR, this::onCompletions)
        : near.hca().createCq(cqe, ReceiveContext.POLLING, null);
    try {
      for (int i = 0; i < p.queuePairs(); i++) {
        connections.add(new NearConnection(near, fabric.farName(), pd, cq, p));
      }
    } catch (RuntimeException refused) {
      close();
      throw refused;
    }
    drive = p.test().metric() == PerfMetric.LAT ? new LatencyDrive(p, connections.get(0), cq)
        : new BandwidthDrive(p, connections, cq);
  }

  /** Runs a measurement. Also writes its latency distribution to {@code distribution} if that is not null. */
  static PerfResult run(PerfFabric fabric, PerfParameters p, java.io.PrintStream distribution) {
    try (PerfRunner runner = new PerfRunner(fabric, p);
        ParkedTarget target = p.parkTarget() ? new ParkedTarget(runner.near, fabric.farName()) : null) {
      PerfResult result = runner.measure(target);
      if (distribution != null && runner.recorder.count() > 0) {
        runner.recorder.print(distribution, p.test().isPingPong() ? 2 : 1);
      }
      return result;
    } catch (NearConnection.Rejected refused) {
      throw new CommandFailure(refused.getMessage().strip());
    }
  }

  private void onCompletions(CompletionQueue queue) {
    do {
      drive.poll();
    } while (queue.arm(false) == CompletionQueue.Armed.COMPLETIONS_WAITING && !drive.isFinished());
  }

  private PerfResult measure(ParkedTarget target) {
    if (p.warmUp() > 0) {
      pass(p.warmUp(), 0, null);
    }
    long receivedBefore = countsArrivals() ? received(drive.messagesEver()) : 0;
    Handshake.Report farBefore = connections.get(0).report(pd, cq);
    HcaSnapshot.Counters nearBefore = near.hca().inspect().counters();
    long trunksBefore = fabric.bytesCopiedByTrunks();
    PerfResult.Parked parked = target == null ? null : measureInTurn(target);
    if (target == null) {
      pass(p.iterations(), p.durationNs(), recorder);
      messages = drive.messages();
      elapsedNs = drive.endNs - drive.startNs;
    }
    long lost = countsArrivals() ? receivedBefore + drive.messages() - received(receivedBefore + drive.messages()) : drive.lost();
    Handshake.Report farAfter = connections.get(0).report(pd, cq);
    HcaSnapshot.Counters nearAfter = near.hca().inspect().counters();
    long copied = farAfter.bytesCopied() - farBefore.bytesCopied() + nearAfter.bytesCopied() - nearBefore.bytesCopied()
        + fabric.bytesCopiedByTrunks() - trunksBefore;
    long wrong = drive.wrongCount();
    String firstError = drive.firstError();
    for (int i = 0; i < connections.size(); i++) {
      Handshake.Report report = settledReport(i);
      wrong += report.wrong();
      firstError = firstError.isEmpty() && report.wrong() > 0 ? "at " + fabric.farName() + ": " + report.firstError() : firstError;
    }
    boolean latency = recorder.count() > 0;
    return new PerfResult(p, connections.get(0).pathMtuBytes(), fabric.jvms(), messages, elapsedNs,
        drive instanceof BandwidthDrive bandwidth ? bandwidth.peakPerSecond() : 0,
        latency ? recorder.summarise(p.test().isPingPong() ? 2 : 1) : null,
        copied / (double) payloadBytes(messages + besides - lost), lost, farAfter.retransmitted() - farBefore.retransmitted()
        + nearAfter.packetsRetransmitted() - nearBefore.packetsRetransmitted(),
        parked, wrong, firstError);
  }

  /**
   * Measures with the target running and parked in turn, for a slice of time each. The cluster would consider a target that is parked for
   * longer dead. The latencies of the result are those of the parked slices.
   */
  private PerfResult.Parked measureInTurn(ParkedTarget target) {
    LatencyRecorder running = new LatencyRecorder();
    int threads = Integer.MAX_VALUE;
    long answeredNs = 0;
    long unansweredNs = Long.MAX_VALUE;
    while (p.iterations() > 0 ? messages < p.iterations() : elapsedNs < p.durationNs()) {
      long askedNs = System.nanoTime();
      target.ask();
      target.awaitAnswer();
      answeredNs = Math.max(answeredNs, System.nanoTime() - askedNs);
      slice(running);
      besides += drive.messages();
      threads = Math.min(threads, target.park());
      askedNs = System.nanoTime();
      target.ask();
      slice(recorder);
      messages += drive.messages();
      elapsedNs += drive.endNs - drive.startNs;
      LockSupport.parkNanos(askedNs + UNANSWERED_LEAST_NS - System.nanoTime());
      if (target.isAnswered()) {
        throw new CommandFailure("the target's application answered within " + (System.nanoTime() - askedNs) / 1_000_000
            + " ms although it was parked; end other programs that delay this machine by more than " + ThreadHold.LONGEST_NS / 1_000_000_000 + " s");
      }
      unansweredNs = Math.min(unansweredNs, System.nanoTime() - askedNs);
      target.release();
      target.awaitAnswer();
    }
    return new PerfResult.Parked(threads, running.summarise(1), answeredNs / 1e3, unansweredNs / 1e6);
  }

  private void slice(LatencyRecorder target) {
    pass(Math.max(0, p.iterations() - messages), p.iterations() > 0 ? SLICE_NS : Math.min(SLICE_NS, p.durationNs() - elapsedNs), target);
  }

  /** Returns the bytes of payload that crossed the fabric. A message that comes back, as a pong or for verification, counts twice. */
  private long payloadBytes(long messages) {
    boolean readBack = p.verify() && p.test().metric() == PerfMetric.BW
        && (p.operation() == PerfOperation.WRITE || p.operation() == PerfOperation.WRITE_IMM);
    return Math.max(1, messages * p.sizeBytes() * (p.test().isPingPong() || readBack ? 2 : 1));
  }

  /** Whether only the far side knows the lost messages: in bandwidth tests of unreliable services. A latency test detects lost messages itself. */
  private boolean countsArrivals() {
    return p.isUnreliable() && p.test().metric() == PerfMetric.BW;
  }

  /** Waits until {@code expected} messages have reached the far side on all connections, or no more arrive. Returns how many have. */
  private long received(long expected) {
    long before = -1;
    long sinceNs = System.nanoTime();
    while (true) {
      long now = 0;
      for (NearConnection c : connections) {
        now += c.report(pd, cq).received();
      }
      if (now >= expected || now == before && System.nanoTime() - sinceNs > SETTLED_NS) {
        return now;
      }
      if (now != before) {
        before = now;
        sinceNs = System.nanoTime();
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Returns the far side's counts when it has verified the last messages. */
  private Handshake.Report settledReport(int connection) {
    NearConnection c = connections.get(connection);
    if (!p.verify() || !p.operation().needsReceives() || p.isUnreliable()) {
      return c.report(pd, cq);
    }
    long expected = drive.messagesOn(connection);
    long begunNs = System.nanoTime();
    Handshake.Report report = c.report(pd, cq);
    while (report.received() < expected) {
      if (System.nanoTime() - begunNs > REPORT_WAIT_NS) {
        throw new CommandFailure("only " + report.received() + " of " + expected + " messages reached " + fabric.farName());
      }
      Thread.onSpinWait();
      report = c.report(pd, cq);
    }
    return report;
  }

  private void pass(long count, long durationNs, LatencyRecorder target) {
    if (p.context() == PerfContext.POLLING) {
      drive.start(count, durationNs, target);
      spin();
    } else {
      onHardwareThread(count, durationNs, target);
    }
    drive.throwIfFailed();
  }

  private void spin() {
    Stall stall = new Stall();
    int idle = 0;
    while (!drive.isFinished()) {
      if (drive.poll() == 0) {
        Thread.onSpinWait();
        if ((++idle & 0xffff) == 0) {
          stall.check();
          if (p.isUnreliable()) {
            drive.lookForLoss();
          }
        }
      }
    }
  }

  private void onHardwareThread(long count, long durationNs, LatencyRecorder target) {
    Poller poller = drive::poll;
    long passesBefore = drive.passesDone();
    fabric.dispatcher().execute(() -> {
      drive.start(count, durationNs, target);
      if (!polled) {
        onCompletions(cq);
      }
    });
    if (polled) {
      fabric.dispatcher().addPoller(poller);
    }
    Stall stall = new Stall();
    long lookedNs = System.nanoTime();
    while (drive.passesDone() == passesBefore) {
      stall.check();
      if (p.isUnreliable() && System.nanoTime() - lookedNs > LOSS_LOOK_NS) {
        lookedNs = System.nanoTime();
        fabric.dispatcher().execute(drive::lookForLoss);
      }
      LockSupport.parkNanos(1_000_000);
    }
    if (polled) {
      fabric.dispatcher().removePoller(poller);
    }
  }

  @Override
  public void close() {
    connections.forEach(NearConnection::close);
    near.hca().destroyCq(cq);
    near.hca().deallocPd(pd);
  }

  /** Detects that the test makes no progress. */
  private final class Stall {
    private long progress = -1;
    private long sinceNs = System.nanoTime();

    void check() {
      long now = drive.progress();
      long nowNs = System.nanoTime();
      if (now != progress) {
        progress = now;
        sinceNs = nowNs;
      } else if (nowNs - sinceNs > STALL_NS && p.rateOps() == 0) {
        throw new CommandFailure(p.test().cliName() + " made no progress for " + STALL_NS / 1_000_000_000 + " s after message " + now);
      }
    }
  }
}
