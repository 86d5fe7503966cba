package dev.weft.lab.sim.pager;

import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.QpState;
import dev.weft.lab.kit.Checker;
import dev.weft.lab.kit.LinkAudit;
import dev.weft.lab.kit.Violations;
import dev.weft.lab.kit.WireChecker;
import dev.weft.pager.client.PagerSnapshot;
import dev.weft.pager.server.MemoryServerSnapshot;
import dev.weft.pager.server.ServerSettings;

/**
 * Checks that hold when nothing is outstanding. All credits, buffers, staging buffers and areas are where they belong. Every queue pair is live, idle
 * and belongs to a connection that both sides know. No completion waits, and every consumed receive is posted again, so none was lost and none came
 * twice.
 */
final class ClusterAudit implements Checker {
  private final ClusterRun run;
  private final ClusterScenario scenario;
  private final VirtualFabric fabric;
  private final WireChecker wire;
  private final Outages outages;
  private Violations violations;
  /** Number of devices with a connection to each server. */
  private final int[] devicesOf;

  ClusterAudit(ClusterRun run, VirtualFabric fabric, WireChecker wire, Outages outages) {
    this.run = run;
    this.scenario = run.scenario();
    this.fabric = fabric;
    this.wire = wire;
    this.outages = outages;
    this.devicesOf = new int[scenario.servers()];
  }

  @Override
  public void checkFinished(Violations found) {
    violations = found;
    SwitchSnapshot leaf = LinkAudit.inspectSwitch(fabric);
    run.clients().forEach(this::checkClient);
    for (SimHost host : run.hosts()) {
      if (host.isDown) {
        continue;
      }
      HcaSnapshot hca = host.node.hca().inspect();
      int expected = 0;
      if (host.server != null) {
        checkServer(host);
        expected = devicesOf[host.index];
      } else if (host.client != null) {
        expected = connectionsOf(host.client);
      }
      checkHca(host, hca, expected);
      wire.checkQuiet(host.name, hca);
      boolean mayDiscard = host.stoodStill;
      new LinkAudit(host.name, fabric.link(host.name), scenario.lanes(), scenario.hcaBuffers()).check(hca, leaf, mayDiscard, violations);
    }
  }

  private int connectionsOf(SimClient client) {
    PagerSnapshot seen = run.ask(client.device()::inspect);
    return seen == null ? 0 : (int) seen.servers().stream().filter(PagerSnapshot.Server::isUp).count();
  }

  private void checkClient(SimClient client) {
    PagerSnapshot seen = run.ask(client.device()::inspect);
    String name = client.node().name();
    if (seen == null) {
      violations.add(name + " does not say how it is");
      return;
    }
    if (seen.inFlight() != 0 || seen.pool().usedBytes() != 0 || seen.pool().fragments() != 1 || seen.pool().waiters() != 0) {
      violations.add(name + " has something left: " + seen);
    }
    boolean[] wasLost = new boolean[scenario.servers()];
    for (int i = 0; i < wasLost.length; i++) {
      PagerSnapshot.Server server = seen.servers().get(i);
      wasLost[i] = !server.isUp() || server.losses() > 0;
      devicesOf[i] += server.isUp() ? 1 : 0;
      if (server.creditsFree() != server.creditsMax() || server.outstanding() != 0 || server.waiting() != 0) {
        violations.add(name + " has lost credits or requests: " + server);
      }
      if (wasLost[i] && !run.isExcused(client, i)) {
        violations.add(name + " has lost a server, and no fault was bad enough for that: " + server);
      }
      if (server.isUp() && run.hosts().get(i).isDown) {
        violations.add(name + " does not know that a server is dead: " + server);
      }
      // A server gives up the area of a client that did not finish connecting in time; the area holds nothing then.
      if (!server.isUp() && !outages.hasCrashed(i, client.openedNs()) && client.history().hasAnswer(i)) {
        violations.add(name + " has not got back to a server that lives and holds its data: " + server);
      }
    }
    client.history().checkErrors(wasLost);
  }

  private void checkServer(SimHost host) {
    MemoryServerSnapshot seen = run.ask(host.server::inspect);
    if (seen == null) {
      violations.add(host.name + " does not say how it is");
      return;
    }
    int devices = devicesOf[host.index];
    long areas = devices * ((scenario.areaBytes() + 4095) & -4096L);
    boolean isWhole = seen.clients().size() == devices && seen.freeBytes() == seen.memoryBytes() - areas;
    int slots = scenario.server().store() == ServerSettings.Store.STAGED ? scenario.server().stagingSlots() : 0;
    boolean isIdle = seen.rdmaOutstanding() == 0 && seen.stagingFree() == slots && seen.stagingWaiting() == 0
        && (seen.idle() || seen.idlePhases() == 0) && seen.clients().stream().allMatch(client -> client.outstanding() == 0 && client.waiting() == 0);
    if (!isWhole || !isIdle) {
      violations.add(host.name + ", which " + devices + " devices use, has something left: " + seen);
    }
  }

  private void checkHca(SimHost host, HcaSnapshot hca, int connections) {
    if (hca.queuePairs().size() != connections) {
      violations.add(host.name + " has " + hca.queuePairs().size() + " queue pairs for " + connections + " connections: "
          + hca.queuePairs());
    }
    for (HcaSnapshot.Qp qp : hca.queuePairs()) {
      if (qp.state() != QpState.RTS || qp.sendQueue() != 0 || qp.receiveQueue() != qp.receiveQueueMax() || qp.rnrWait()) {
        violations.add(host.name + " has a queue pair that is not idle, or lost or doubled a completion: " + qp);
      }
    }
    for (HcaSnapshot.Cq cq : hca.completionQueues()) {
      // A client is woken for replies only, so completions of sends may wait for the next reply.
      boolean mayWait = host.client != null && cq.armed();
      if (cq.size() != 0 && !mayWait || cq.overrun()) {
        violations.add(host.name + " has completions left: " + cq);
      }
    }
    int regions = connections + (host.client != null ? 1 : 0);
    if (host.server != null) {
      regions += scenario.server().store() == ServerSettings.Store.STAGED ? 2 : 1;
    }
    if (hca.memoryRegions().size() != regions) {
      violations.add(host.name + " has " + hca.memoryRegions().size() + " memory regions, must have " + regions);
    }
    for (AsyncEvent event = host.node.hca().pollAsyncEvent(); event != null; event = host.node.hca().pollAsyncEvent()) {
      if (event.type() == AsyncEvent.Type.CQ_ERR || event.type() == AsyncEvent.Type.QP_REQ_ERR) {
        violations.add(host.name + " reported " + event);
      }
    }
  }
}
