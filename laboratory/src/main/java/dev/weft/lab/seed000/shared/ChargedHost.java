package dev.weft.lab.seed000.shared;

import dev.weft.dsm.access.AccessCosts;
import dev.weft.dsm.objects.VirtualWaitStrategy;
import dev.weft.dsm.objects.WaitStrategy;
import dev.weft.hca.node.Fabric;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.hosts.VirtualHost;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A host whose processors are charged for access to shared memory, and for waiting: access mode virtual. */
final class ChargedHost implements AccessCosts, WaitStrategy {
  /** A thread that polls in vain for so long sleeps. */
  private static final long POLLS_NS = 1_000_000;

  private static final class Waiting {
    private final BooleanSupplier until;
    private boolean isWoken;

    private Waiting(BooleanSupplier until) {
      this.until = until;
    }
  }

  private final VirtualHost host;
  private final HardwareProfile profile;
  private final ProgramCosts costs;
  private final Setup.Kind system;
  private final WaitStrategy waits;
  private final List<Waiting> waiting = new ArrayList<>();
  /** What was done on behalf of threads when none of them ran; the next one pays it. */
  private long leftNs;

  ChargedHost(Fabric fabric, VirtualHost host, ProgramCosts costs, Setup.Kind system) {
    this.host = host;
    this.profile = host.profile();
    this.costs = costs;
    this.system = system;
    this.waits = new VirtualWaitStrategy(fabric);
  }

  // What threads do.

  @Override
  public void fault(byte rights) {
    ChargedThread me = ChargedThread.current();
    if (me != null) {
      me.faults(rights);
    }
  }

  /** Seed 000 section 5.1: "our protocol currently handles single page faults". */
  @Override
  public boolean faultsOneByOne() {
    return true;
  }

  @Override
  public void enter() {
    ChargedThread me = ChargedThread.current();
    if (me != null) {
      me.owe(profile.cpu().systemCallNs());
      me.pay();
    }
  }

  @Override
  public boolean await(BooleanSupplier until, long maxNs) {
    ChargedThread me = ChargedThread.current();
    if (me == null) {
      return waits.await(until, maxNs);
    }
    if (until.getAsBoolean()) {
      me.hasAccess();
      return true;
    }
    Waiting mine = new Waiting(until);
    waiting.add(mine);
    boolean inTime = false;
    boolean polled = false;
    try {
      if (system.polls()) {
        me.polls();
        inTime = waits.await(until, Math.min(maxNs, POLLS_NS));
        polled = inTime || maxNs <= POLLS_NS;
      }
      if (!polled) {
        me.sleeps();
        inTime = waits.await(until, system.polls() ? maxNs - POLLS_NS : maxNs);
      }
    } finally {
      waiting.remove(mine);
    }
    long mustNs = leftNs;
    leftNs = 0;
    me.goesOn(polled, mustNs);
    return inTime;
  }

  // What is done in the receive context.

  @Override
  public void protect(int minipages, long bytes) {
    long pages = Math.ceilDiv(bytes, profile.memory().pageBytes());
    charge(system.isUserLevel() ? minipages * systemNs(bytes) : costs.managerNs(minipages, pages));
  }

  /** One range by the operating system. */
  private long systemNs(long bytes) {
    return profile.cpu().systemCallNs() + profile.memory().protectionNs(bytes);
  }

  @Override
  public void changed() {
    if (system.isUserLevel()) {
      for (Waiting each : waiting) {
        if (!each.isWoken && each.until.getAsBoolean()) {
          each.isWoken = true;
          charge(profile.cpu().systemCallNs());
        }
      }
    }
    waits.changed();
  }

  private void charge(long ns) {
    if (host.isRunning()) {
      host.charge(ns);
    } else {
      leftNs += ns;
    }
  }
}
