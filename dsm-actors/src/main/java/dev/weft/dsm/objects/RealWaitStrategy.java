package dev.weft.dsm.objects;

import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Interrupts;
import dev.weft.hca.node.Node;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A waiting thread runs the hardware meanwhile (selective polling, Kernel DSM, section 4). */
public final class RealWaitStrategy implements WaitStrategy {
  private static final Duration MOMENT = Duration.ofNanos(50_000);

  private final Fabric fabric;
  private final Node node;

  public RealWaitStrategy(Fabric fabric, Node node) {
    this.fabric = fabric;
    this.node = node;
  }

  @Override
  public boolean await(BooleanSupplier until, long maxNs) {
    return await(() -> {}, until, maxNs);
  }

  @Override
  public void tell(Runnable first, BooleanSupplier done) {
    fabric.await(first, done, MOMENT);
  }

  @Override
  public boolean await(Runnable first, BooleanSupplier until, long maxNs) {
    Duration max = Duration.ofNanos(maxNs);
    boolean has = fabric.await(first, until, max);
    while (!has && Interrupts.isToGoOn()) {
      has = fabric.await(until, max);
    }
    if (has) {
      return true;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new IllegalStateException("interrupted while it waited in shared memory");
    }
    return false;
  }

  /** The hardware thread checks the conditions of sleeping threads itself; roles on other threads must notify it. */
  @Override
  public void changed() {
    if (!fabric.isHardwareThread()) {
      node.hca().later(() -> null);
    }
  }
}
