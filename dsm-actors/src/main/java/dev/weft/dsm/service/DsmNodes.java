package dev.weft.dsm.service;

import akka.actor.Cancellable;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.AskPattern;
import dev.weft.dsm.node.DsmAdvert;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.report.DsmReport;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.hca.node.Node;
import dev.weft.service.Alarm;
import dev.weft.service.CommandFailure;
import dev.weft.service.Host;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.StatusTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node of shared memory in a JVM of {@code weft up}, if it has one. */
final class DsmNodes implements Running {
  /** Name of the section and of the service. */
  static final String NAME = DsmAdvert.SERVICE;
  /** Maximum entries of each list of a report, which the actor collects on the hardware thread. */
  static final int ENTRIES_MAX = 32;

  private static final Logger LOG = LoggerFactory.getLogger(DsmNodes.class);
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration FIRST_PATIENCE = Duration.ofMinutes(2);
  private static final int ADVERT_PATIENCE_S = 30;

  private final Host host;
  private final List<String> said = new ArrayList<>();
  private volatile DsmNode node;
  private volatile String problem = "";
  private volatile List<Alarm> alarms = List.of();
  private Cancellable watch;
  private Thread joining;

  DsmNodes(Host host) {
    this.host = host;
  }

  // Start.

  /** Starts the space in this JVM, and waits for the nodes of the other JVMs. */
  void found(String space, List<String> names) throws InterruptedException {
    Node own = host.addNode(names.getFirst());
    DsmSettings settings = settings();
    if (settings.homeNodes().isEmpty()) {
      settings = settings.withHomeNodes(names);
    }
    DsmNode first = join(own, space, names.getFirst(), settings);
    long endNs = System.nanoTime() + settings.joinTimeoutNs();
    while (first.inspect().members().size() < names.size()) {
      host.checkMembers();
      if (System.nanoTime() > endNs) {
        throw new CommandFailure("of the nodes " + names + " of shared memory \"" + space + "\" only " + first.inspect().members().size()
            + " were there after weft.dsm.join-timeout; the logs of the other JVMs are in the state directory");
      }
      Thread.sleep(20);
    }
    said.add("Shared memory \"" + space + "\", " + (settings.memoryBytes() >> 20) + " MiB, homes at " + String.join(", ", names)
        + "  (weft dsm top shows it)");
  }

  private DsmSettings settings() {
    try {
      return DsmSettings.from(host.config());
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong);
    }
  }

  /** In a further JVM, which starts before the services of the first one: its node joins as soon as the space exists. */
  void joinLater(String space, String name, String first) {
    Node own = host.addNode(name);
    DsmSettings settings = settings();
    problem = "node " + name + " has not joined shared memory \"" + space + "\" yet";
    joining = Thread.ofPlatform().daemon().name("weft-dsm-join").start(() -> {
      try {
        if (!host.fabric().await(() -> host.fabric().directory().lookup(first).isPresent()
            || DsmAdvert.find(host.fabric().directory(), space).isPresent(), FIRST_PATIENCE)) {
          throw new CommandFailure("the first node " + first + " did not start in time");
        }
        join(own, space, first, settings);
        problem = "";
      } catch (RuntimeException | Error failed) {
        problem = "node " + name + " could not join shared memory \"" + space + "\": " + failed.getMessage();
        LOG.error("{}", problem, failed);
      }
    });
  }

  private DsmNode join(Node own, String space, String first, DsmSettings settings) {
    DsmNode joined;
    try {
      joined = DsmNode.join(host.fabric(), own, space, first, settings);
    } catch (OutOfMemoryError noMemory) {
      throw new CommandFailure(own.name() + " cannot reserve " + (settings.memoryBytes() >> 20) + " MiB: " + noMemory.getMessage()
          + "; choose a smaller --dsm-memory, or raise -XX:MaxDirectMemorySize", noMemory);
    } catch (IllegalStateException refused) {
      throw new CommandFailure(refused.getMessage(), refused);
    }
    node = joined;
    watchFor(joined);
    try {
      host.fabric().advertise(new DsmAdvert(own.name(), space, first, settings.memoryBytes()).toAdvert()).toCompletableFuture().copy()
          .orTimeout(ADVERT_PATIENCE_S, TimeUnit.SECONDS).join();
    } catch (CompletionException refused) {
      throw new CommandFailure("could not announce to the fabric that " + own.name() + " serves shared memory: " + refused.getCause().getMessage(), refused);
    }
    return joined;
  }

  // Inspection.

  /** Updates the alarms every second, because the threads that ask for them must not wait. */
  private synchronized void watchFor(DsmNode joined) {
    long alarmAfterMs = TimeUnit.NANOSECONDS.toMillis(settings().alarmAfterNs());
    ActorSystem<Void> system = host.fabric().system();
    watch = system.scheduler().scheduleWithFixedDelay(LOOK, LOOK, () -> ask(joined, ENTRIES_MAX, false).whenComplete((report, failure) ->
        alarms = failure == null ? DsmAlarms.of(report, alarmAfterMs) : List.of(silent(failure))), system.executionContext());
  }

  private static Alarm silent(Throwable failure) {
    Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    return Alarm.error("DSM_SILENT", NAME, "the node of shared memory does not report its state: "
        + (cause instanceof TimeoutException ? "no answer within " + PATIENCE.toSeconds() + " s" : cause));
  }

  private CompletionStage<DsmReport> ask(DsmNode asked, int max, boolean withCounters) {
    return AskPattern.<NodeCommand, DsmReport>ask(asked.actor(), replyTo -> new NodeCommand.Report(replyTo, max, withCounters), PATIENCE,
        host.fabric().system().scheduler());
  }

  /** The content of {@code /weft/dsm} for one JVM. */
  record Shown(List<DsmReport> nodes) {}

  private CompletionStage<List<DsmReport>> reports(int max, boolean withCounters) {
    DsmNode asked = node;
    return asked == null ? CompletableFuture.completedFuture(List.of()) : ask(asked, max, withCounters).thenApply(List::of);
  }

  @Override
  public Map<String, Section> sections() {
    return Map.of(NAME, (path, paging) -> Section.of(() -> reports(Math.min(paging.limit(), ENTRIES_MAX), true).thenApply(Shown::new)).find(path, paging));
  }

  @Override
  public CompletionStage<List<StatusTable>> tables() {
    return reports(1, true).thenApply(all -> {
      StatusTable table = StatusTable.of("Shared memory", "SPACE", "NODE", ">NUMBER", ">MEMBERS", ">ARRAYS", ">MINIPAGES", ">LOST", ">FAULTS", ">WAITING");
      for (DsmReport report : all) {
        table = table.row(report.node().space(), report.nodeName(), report.node().number(), report.node().members().size(), report.node().arrays().size(),
            report.node().homeMinipages(), report.node().lostMinipages(), report.sharing().arrays().stream()
                .mapToLong(array -> array.readFaults() + array.writeFaults()).sum(), report.node().faultsWaiting());
      }
      return List.of(table);
    });
  }

  @Override
  public List<Alarm> alarms() {
    return alarms;
  }

  @Override
  public Optional<String> problem() {
    return problem.isEmpty() ? Optional.empty() : Optional.of(problem);
  }

  @Override
  public List<String> describe() {
    return List.copyOf(said);
  }

  @Override
  public synchronized void close() {
    if (watch != null) {
      watch.cancel();
    }
    if (joining != null) {
      joining.interrupt();
    }
    if (node != null) {
      node.close();
    }
  }
}
