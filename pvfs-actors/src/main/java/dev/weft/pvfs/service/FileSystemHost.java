package dev.weft.pvfs.service;

import akka.actor.typed.javadsl.AskPattern;
import com.typesafe.config.Config;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.check.FileSystemCheck;
import dev.weft.pvfs.check.Report;
import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.PvfsClientActor;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.manager.ManagerActor;
import dev.weft.pvfs.manager.ManagerSnapshot;
import dev.weft.pvfs.store.StoreException;
import dev.weft.service.Alarm;
import dev.weft.service.Asker;
import dev.weft.service.CommandFailure;
import dev.weft.service.Host;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.StatusTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The file system in the first JVM of {@code weft up}: its manager, the daemons that are here, and a client for commands. */
final class FileSystemHost implements Running {
  static final String CLIENT_NODE = "pvfs-client";
  private static final String CHECK_NODE = "pvfs-check";
  private static final int COPIES_MAX = 1024;
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Host host;
  private final Daemons here;
  private final List<String> daemons;
  private final Manager manager;
  private final PvfsFileSystem files;
  private final Probes probes;
  private final Requests requests;
  private final FileSystemLabel label;
  private final PvfsDirectory directory;
  /** Null without clients outside the fabric. */
  private final OutsideListener outside;
  private final Checks checks = new Checks();
  private volatile List<Alarm> alarms = List.of();

  FileSystemHost(Host host, Daemons here, List<String> daemons, FileSystemLabel label, PvfsDirectory directory, OutsideListener outside) {
    this.outside = outside;
    this.directory = directory;
    this.label = label;
    this.host = host;
    this.here = here;
    this.daemons = daemons;
    List<DaemonAddress> addresses = daemons.stream().map(node -> new DaemonAddress(node, Daemons.SERVICE)).toList();
    Node managerNode = host.addNode(PvfsFileSystem.MANAGER_NODE);
    try {
      manager = directory == null
          ? Manager.inMemory(host.fabric(), managerNode, PvfsFileSystem.MANAGER_SERVICE, host.config(), addresses, label, RealClock::wallNs)
          : Manager.durable(host.fabric(), managerNode, PvfsFileSystem.MANAGER_SERVICE, host.config(), addresses, directory.manager(), label,
              RealClock::wallNs);
      if (outside != null) {
        outside.letIn(manager);
      }
      files = PvfsFileSystem.connect(host.fabric(), host.addNode(CLIENT_NODE), PvfsFileSystem.MANAGER_NODE);
    } catch (IllegalArgumentException | PvfsException | StoreException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong);
    }
    probes = new Probes(host.fabric().system(), files, PvfsFileSystem.MANAGER_NODE);
    requests = new Requests(files, probes, copiesMax(host.config()));
  }

  private static int copiesMax(Config config) {
    String name = "weft.pvfs.commands.copies-max";
    int max = config.getInt(name);
    if (max < 1 || max > COPIES_MAX) {
      throw new CommandFailure(name + " is " + max + ", must be from 1 to " + COPIES_MAX);
    }
    return max;
  }

  @Override
  public List<String> answer(List<String> words, Asker asker) {
    return words.getFirst().equals("fsck") ? check(words, asker) : requests.answer(words, asker);
  }

  /** Checks the file system. Returns a line with counts, then one for each problem: its kind, whether it is repaired, and its description. */
  private List<String> check(List<String> words, Asker asker) {
    String process = words.stream().filter(word -> word.matches("[0-9]{1,9}")).findFirst().orElse("?");
    try (Checks.Turn turn = checks.begin(process, asker)) {
      Node node = host.addNode(CHECK_NODE);
      try (FileSystemCheck check = new FileSystemCheck(host.fabric(), host.fabric().system(), node, manager, label, files.meta(), files.daemons(),
          host.config(), RealClock::wallNs)) {
        turn.endBy(check::end);
        Report report = check.run(new FileSystemCheck.Wish(words.contains("repair"), words.contains("discard-doubtful"), !words.contains("no-scrub")));
        List<String> lines = new ArrayList<>(List.of(report.files() + " " + report.objects()));
        report.problems().forEach(problem -> lines.add(problem.kind() + " " + problem.isMended() + " " + problem.text().replaceAll("\\p{Cntrl}", "?")));
        return lines;
      } catch (CancellationException ended) {
        throw new CommandFailure(ended.getMessage(), ended);
      } finally {
        host.fabric().closeNode(CHECK_NODE);
      }
    }
  }

  @Override
  public List<Alarm> alarms() {
    List<Alarm> all = new ArrayList<>(here.alarms());
    all.addAll(alarms);
    return all;
  }

  @Override
  public void look() {
    CompletableFuture<ClientSnapshot> client = AskPattern.<PvfsClientActor.Command, ClientSnapshot>ask(files.data().actor(), PvfsClientActor.Inspect::new,
        PATIENCE, host.fabric().system().scheduler()).toCompletableFuture();
    snapshot().thenAcceptBoth(client, (state, data) -> alarms = FileSystemAlarms.of(state, data));
  }

  @Override
  public List<String> describe() {
    String where = directory == null ? "the memory of " + String.join(", ", daemons) : directory.path() + " of " + String.join(", ", daemons);
    List<String> lines = new ArrayList<>();
    lines.add("Parallel file system in " + where + ", manager at " + PvfsFileSystem.MANAGER_NODE + "  (weft pvfs cp, ls and so on)");
    if (outside != null) {
      lines.add("Clients outside of the fabric: " + outside.address() + "  (weft pvfs ls --tcp " + outside.address() + " --secret-file FILE)");
    }
    return lines;
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
      all.add(StatusTable.of("Managers", "NODE", ">CLIENTS", ">REQUESTS", ">COMMITS").row(PvfsFileSystem.MANAGER_NODE, state.connected(), state.requests(),
          state.commits()));
      return all;
    });
  }

  @Override
  public void close() {
    files.close();
    manager.stop();
    host.fabric().await(manager.stopped().toCompletableFuture()::isDone, PATIENCE); // Its store is closed then.
    here.close();
  }
}
