package dev.weft.pvfs.service;

import akka.actor.typed.javadsl.AskPattern;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.manager.ManagerActor;
import dev.weft.pvfs.manager.ManagerSnapshot;
import dev.weft.service.CommandFailure;
import dev.weft.service.Host;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.StatusTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The file system in the first JVM of {@code weft up}: its manager, the daemons that are here, and a client for commands. */
final class FileSystemHost implements Running {
  static final String MANAGER_NODE = "pvfs-manager";
  static final String CLIENT_NODE = "pvfs-client";
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Host host;
  private final Daemons here;
  private final List<String> daemons;
  private final Manager manager;
  private final PvfsFileSystem files;
  private final Probes probes;
  private final Requests requests;

  FileSystemHost(Host host, Daemons here, List<String> daemons) {
    this.host = host;
    this.here = here;
    this.daemons = daemons;
    List<DaemonAddress> addresses = daemons.stream().map(node -> new DaemonAddress(node, Daemons.SERVICE)).toList();
    Node managerNode = host.addNode(MANAGER_NODE);
    try {
      manager = Manager.inMemory(host.fabric(), managerNode, PvfsFileSystem.MANAGER_SERVICE, host.config(), addresses, FileSystemHost::wallNs);
      files = PvfsFileSystem.connect(host.fabric(), host.addNode(CLIENT_NODE), MANAGER_NODE);
    } catch (IllegalArgumentException | PvfsException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong);
    }
    probes = new Probes(host.fabric(), files, MANAGER_NODE);
    requests = new Requests(files, probes);
  }

  private static long wallNs() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  @Override
  public List<String> answer(List<String> words) {
    return requests.answer(words);
  }

  @Override
  public List<String> describe() {
    return List.of("Parallel file system in the memory of " + String.join(", ", daemons) + ", manager at " + MANAGER_NODE
        + "  (weft pvfs cp, ls and so on)");
  }

  private CompletionStage<ManagerSnapshot> snapshot() {
    return AskPattern.ask(manager.actor(), ManagerActor.Inspect::new, PATIENCE, host.fabric().system().scheduler());
  }

  @Override
  public Map<String, Section> sections() {
    Map<String, Section> all = new LinkedHashMap<>(here.sections());
    all.put(PvfsService.NAME, Section.of(this::snapshot));
    all.put(CLIENT_NODE, Section.of(probes::client));
    return all;
  }

  @Override
  public CompletionStage<List<StatusTable>> tables() {
    return snapshot().thenCombine(here.tables(), (state, others) -> {
      List<StatusTable> all = new ArrayList<>(others);
      all.add(StatusTable.of("Managers", "NODE", ">CLIENTS", ">REQUESTS", ">COMMITS").row(MANAGER_NODE, state.connected(), state.requests(),
          state.commits()));
      return all;
    });
  }

  @Override
  public void close() {
    files.close();
    manager.stop();
  }
}
