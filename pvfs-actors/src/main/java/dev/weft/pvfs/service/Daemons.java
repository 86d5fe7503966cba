package dev.weft.pvfs.service;

import akka.actor.typed.javadsl.AskPattern;
import dev.weft.fabric.time.RealClock;
import dev.weft.pvfs.daemon.DaemonSettings;
import dev.weft.pvfs.daemon.DaemonSnapshot;
import dev.weft.pvfs.daemon.IoDaemon;
import dev.weft.pvfs.daemon.IoDaemonActor;
import dev.weft.pvfs.store.StoreException;
import dev.weft.service.Alarm;
import dev.weft.service.CommandFailure;
import dev.weft.service.Host;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.StatusTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The I/O daemons of one JVM. */
final class Daemons implements Running {
  /** The service name of a daemon at its node. */
  static final String SERVICE = "pvfs-io";
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final Duration SYNC_PATIENCE = Duration.ofSeconds(30);

  private record Served(String node, IoDaemon daemon) {}

  private final Host host;
  private final byte[] key;
  private final String fileSystem;
  /** Null without clients outside the fabric. */
  private final OutsideListener outside;
  private volatile List<Alarm> alarms = List.of();
  private final List<Served> daemons = new ArrayList<>();

  /**
   * Begins without daemons.
   *
   * @param key with which capabilities are signed; null serves every client
   * @param fileSystem id that directories must have; "" for any
   * @param outside for clients outside the fabric; null for none
   */
  Daemons(Host host, byte[] key, String fileSystem, OutsideListener outside) {
    this.outside = outside;
    this.fileSystem = fileSystem;
    this.host = host;
    this.key = key;
  }

  void add(String name) {
    DaemonSettings settings;
    try {
      settings = DaemonSettings.from(host.config()).ofFileSystem(fileSystem);
      settings = settings.isOnDisk() ? settings.withDirectory(Path.of(settings.directory(), name).toString()) : settings;
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong);
    }
    try {
      IoDaemon daemon = IoDaemon.start(host.addNode(name), SERVICE, settings, key, RealClock::wallNs);
      daemons.add(new Served(name, daemon));
      if (outside != null) {
        outside.letIn(name, daemon);
      }
    } catch (OutOfMemoryError noMemory) {
      boolean isOnDisk = settings.isOnDisk();
      throw new CommandFailure(name + " cannot have " + ((isOnDisk ? settings.disk().zoneBytes() : settings.memoryBytes()) >> 20) + " MiB: "
          + noMemory.getMessage() + "; choose a smaller " + (isOnDisk ? "weft.pvfs.daemon.zones" : "--pvfs-memory") + ", or raise -XX:MaxDirectMemorySize",
          noMemory);
    } catch (StoreException refused) {
      throw new CommandFailure(name + ": " + refused.getMessage(), refused);
    }
  }

  /** Daemons with a directory sync everything to the disk. */
  @Override
  public void close() {
    daemons.forEach(served -> served.daemon().stop());
    CompletableFuture<?>[] closed = daemons.stream().map(served -> served.daemon().closed().toCompletableFuture()).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(closed).get(SYNC_PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException notClosed) {
      throw new CommandFailure("the I/O daemons could not sync all data to disk: " + notClosed, notClosed);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private CompletionStage<Map<String, DaemonSnapshot>> snapshots() {
    Map<String, CompletableFuture<DaemonSnapshot>> asked = new LinkedHashMap<>();
    for (Served served : daemons) {
      asked.put(served.node(), AskPattern.<IoDaemonActor.Command, DaemonSnapshot>ask(served.daemon().actor(), IoDaemonActor.Inspect::new, PATIENCE,
          host.fabric().system().scheduler()).toCompletableFuture());
    }
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply(_ -> {
      Map<String, DaemonSnapshot> all = new LinkedHashMap<>();
      asked.forEach((node, snapshot) -> all.put(node, snapshot.join()));
      return all;
    });
  }

  @Override
  public List<Alarm> alarms() {
    snapshots().thenAccept(all -> alarms = FileSystemAlarms.of(all)); // For the next call: this one must not wait.
    return alarms;
  }

  @Override
  public Map<String, Section> sections() {
    Map<String, Section> all = new LinkedHashMap<>(Map.of(SERVICE, Section.of(this::snapshots)));
    if (outside != null) {
      all.put(OutsideListener.SERVICE, Section.of(() -> CompletableFuture.completedFuture(outside.counts())));
    }
    return all;
  }

  @Override
  public CompletionStage<List<StatusTable>> tables() {
    return snapshots().thenApply(all -> {
      StatusTable table = StatusTable.of("I/O daemons", "NODE", ">MEMORY", ">FREE", ">FILES", ">CLIENTS", ">READ", ">WRITTEN");
      for (Map.Entry<String, DaemonSnapshot> each : all.entrySet()) {
        DaemonSnapshot daemon = each.getValue();
        table = table.row(each.getKey(), StatusTable.bytes(daemon.memoryBytes()), StatusTable.bytes(daemon.freeBytes()), daemon.objects(),
            daemon.clients().size(), StatusTable.bytes(daemon.bytesRead()), StatusTable.bytes(daemon.bytesWritten()));
      }
      List<StatusTable> tables = new ArrayList<>(daemons.isEmpty() ? List.of() : List.of(table));
      if (outside != null) {
        tables.addAll(outside.tables());
      }
      return tables;
    });
  }
}
