package dev.weft.pager.service;

import akka.actor.typed.javadsl.AskPattern;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.node.Advert;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.node.Node;
import dev.weft.pager.Notification;
import dev.weft.pager.Registration;
import dev.weft.pager.netvm.ServerMemory;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.MemoryServerActor;
import dev.weft.pager.server.MemoryServerSnapshot;
import dev.weft.pager.server.ServerSettings;
import dev.weft.service.CommandFailure;
import dev.weft.service.Host;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.StatusTable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The memory servers of one JVM. They end with their nodes. */
final class MemoryServers implements Running {
  /** Attribute of an advert: the number of bytes that a node lends. */
  static final String CAPACITY = "capacity";
  /** Attribute of an advert, {@link #OWN}: the node's memory must be a separate export with the node's name. Absent if it is part of another export. */
  static final String EXPORT = "export";
  static final String OWN = "own";
  /** The service whose NICs have Tripwires. */
  static final String NIC_SERVICE = "tripwire";

  private static final Logger LOG = LoggerFactory.getLogger(MemoryServers.class);
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final int ADVERT_PATIENCE_S = 30;

  private final Host host;
  private final Map<String, MemoryServer> servers = new ConcurrentSkipListMap<>();
  private final List<String> said = new ArrayList<>();

  MemoryServers(Host host) {
    this.host = host;
  }

  /**
   * Adds a node that lends {@code capacityBytes} of this JVM's memory, and advertises it to the fabric.
   *
   * @param isExport whether the memory must be a separate export
   */
  void add(String nodeName, long capacityBytes, boolean isExport) {
    Config own = host.config().withValue("weft.pager.server.memory", ConfigValueFactory.fromAnyRef(capacityBytes));
    try {
      ServerSettings settings = ServerSettings.from(own);
      MachineMemory.check(MachineMemory.ofServer(capacityBytes, settings), 1, 0); // Other processes may have taken memory since the first check.
      Node node = addNode(host, nodeName, settings.notification());
      servers.put(nodeName, MemoryServer.start(node, MemoryServer.SERVICE, settings, virtualMemory(node, settings)));
      advertise(nodeName, capacityBytes, isExport);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(e.getMessage(), e); // The message names the wrong setting.
    } catch (OutOfMemoryError e) {
      throw new CommandFailure(nodeName + " cannot reserve " + (capacityBytes >> 20) + " MiB: " + e.getMessage()
          + "; offer less, or raise -XX:MaxDirectMemorySize", e);
    }
  }

  /** Adds a node, with a NIC if its pager uses Tripwires for notification. */
  static Node addNode(Host host, String name, Notification notification) {
    Node node = host.addNode(name);
    if (notification == Notification.TRIPWIRE) {
      host.equip(NIC_SERVICE, node);
    }
    return node;
  }

  private void advertise(String node, long capacityBytes, boolean isExport) {
    Map<String, String> attributes = new LinkedHashMap<>(Map.of(CAPACITY, Long.toString(capacityBytes)));
    if (isExport) {
      attributes.put(EXPORT, OWN);
    }
    try {
      host.fabric().advertise(Advert.of(node, PagerService.NAME, attributes)).toCompletableFuture().copy()
          .orTimeout(ADVERT_PATIENCE_S, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (!isExport) { // No advert needed: the JVM that uses this server has started it.
        LOG.warn("could not announce to the fabric how much {} lends: {}", node, String.valueOf(e.getCause()));
        return;
      }
      throw new CommandFailure("could not announce to the fabric that " + node + " lends memory: " + (e.getCause() instanceof IllegalArgumentException refused
          ? refused.getMessage() : "the subnet manager did not answer within " + ADVERT_PATIENCE_S + " s"), e);
    }
  }

  /** Creates the virtual memory of the host if its memory server lends virtual memory; otherwise returns null. */
  private HostVm virtualMemory(Node node, ServerSettings settings) {
    if (settings.registration() != Registration.UNPINNED) {
      return null;
    }
    try {
      HostVm vm = ServerMemory.open(settings, NetVmSettings.from(host.config()));
      host.afterwards(vm);
      node.hca().attachVm(vm);
      return vm;
    } catch (IOException e) {
      throw new CommandFailure("the memory server of " + node.name() + " could not create its page file: " + (e.getMessage() == null ? e : e.getMessage())
          + "; free space, lend less (--memory), or name another directory by weft.pager.server.page-file-directory", e);
    }
  }

  /** Adds a line for the user who started the server. */
  void say(String line) {
    said.add(line);
  }

  @Override
  public List<String> describe() {
    return List.copyOf(said);
  }

  /** Returns the current states of all servers, by node. */
  CompletableFuture<Map<String, MemoryServerSnapshot>> snapshots() {
    Map<String, CompletableFuture<MemoryServerSnapshot>> asked = new LinkedHashMap<>();
    servers.forEach((node, server) -> asked.put(node, AskPattern.<MemoryServerActor.Command, MemoryServerSnapshot>ask(
        server.actor(), MemoryServerActor.Inspect::new, PATIENCE, host.fabric().system().scheduler()).toCompletableFuture()));
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply(all -> {
      Map<String, MemoryServerSnapshot> answers = new LinkedHashMap<>();
      asked.forEach((node, answer) -> answers.put(node, answer.join()));
      return answers;
    });
  }

  @Override
  public Map<String, Section> sections() {
    return Map.of(PagerService.NAME, Section.of(() -> snapshots().thenApply(all ->
        new PagerSection(PagerSection.MemoryServer.of(all), List.of(), new LinkedHashMap<String, Object>(all)))));
  }

  @Override
  public CompletionStage<List<StatusTable>> tables() {
    return snapshots().thenApply(all -> List.of(table(all)));
  }

  static StatusTable table(Map<String, MemoryServerSnapshot> snapshots) {
    StatusTable table = StatusTable.of("Memory servers", "NODE", ">CAPACITY", ">USED", ">AREAS");
    for (PagerSection.MemoryServer server : PagerSection.MemoryServer.of(snapshots)) {
      table = table.row(server.node(), StatusTable.bytes(server.capacityBytes()), StatusTable.bytes(server.usedBytes()), server.areas());
    }
    return table;
  }
}
