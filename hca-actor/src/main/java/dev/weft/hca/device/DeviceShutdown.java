package dev.weft.hca.device;

import dev.weft.hca.completion.Cq;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends an HCA, either by {@link Hca#close} or with its actor, for example when its node crashes. Any thread. */
final class DeviceShutdown {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceShutdown.class);

  private final DeviceVerbs hca;
  private final PacketEngine core;
  private final HardwareCalls calls;

  DeviceShutdown(DeviceVerbs hca, PacketEngine core, HardwareCalls calls) {
    this.hca = hca;
    this.core = core;
    this.calls = calls;
  }

  void close(String reason, Runnable before) {
    try {
      calls.control(() -> {
        before.run();
        end(reason);
        return null;
      });
    } catch (VerbsException refused) {
      if (refused.errno() != Errno.ENODEV) {
        LOG.warn("the HCA of node {} was not closed in time; its actor will close it: {}", hca.nodeName(), refused.getMessage());
      }
    }
    unpin();
  }

  /** Unlocks all pages. Holds the lock, because other threads may release resources of the closed HCA at the same time. */
  private void unpin() {
    synchronized (calls.afterlife()) {
      core.memory().all().forEach(Mr::unpin);
    }
  }

  /** The lock for work on the closed HCA. */
  Object lock() {
    return calls.afterlife();
  }

  /** Ends the HCA because its actor has stopped or is stopping. Hardware thread. */
  void onStopped() {
    end("its node has stopped");
    unpin();
  }

  /** Ends the HCA because its actor or a child of it has failed. Hardware thread. */
  void onFailed(String reason, Throwable failure) {
    try {
      end(reason + ": " + failure);
    } catch (RuntimeException | Error second) {
      failure.addSuppressed(second); // The cause of the failure may also disturb the flush.
    }
  }

  /** Ends the HCA; later calls have no effect. Hardware thread. */
  private void end(String reason) {
    if (calls.isClosed()) {
      return;
    }
    List<Cq> queues = core.queues().completionQueues();
    queues.forEach(Cq::beginEnd);
    calls.close(reason);
    // After a failure each step may fail again. The remaining steps must still flush, report and wake.
    Attempts steps = new Attempts();
    synchronized (calls.afterlife()) {
      core.queuePairsToFlush().forEach(qp -> steps.attempt(() -> core.states().toError(qp, null)));
      steps.attempt(core::invalidateMemory);
      core.event(AsyncEvent.Type.DEVICE_FATAL, 0);
    }
    queues.forEach(cq -> steps.attempt(() -> cq.notifyOfEnd(hca.contexts())));
    calls.refuseAll();
    steps.rethrow();
  }

  /** Keeps the first failure of several steps. */
  private static final class Attempts {
    private RuntimeException failure;
    private Error error;

    void attempt(Runnable step) {
      try {
        step.run();
      } catch (RuntimeException e) {
        failure = failure == null ? e : failure;
      } catch (Error e) {
        error = error == null ? e : error;
      }
    }

    void rethrow() {
      if (error != null) {
        throw error;
      }
      if (failure != null) {
        throw failure;
      }
    }
  }
}
