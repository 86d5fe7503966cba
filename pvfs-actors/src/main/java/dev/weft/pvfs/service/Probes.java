package dev.weft.pvfs.service;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.AskPattern;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.client.PvfsClientActor;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import dev.weft.service.CommandFailure;
import dev.weft.service.measure.MeasureJson;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends small requests to each I/O daemon and the manager, and measures their time: whether they are reachable, and how much space they have. An
 * unreachable one is reported at once, or after {@link #PATIENCE}; nothing waits longer for it.
 */
final class Probes {
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final long LOOK_NS = 10_000_000L;
  static final int COUNT_MAX = 1000;
  private static final long[] NONE = {};
  private static final MemorySegment[] NO_MEMORY = {};
  private static final long ROOT = 1;

  private final ActorSystem<?> system;
  private final PvfsFileSystem files;
  private final String managerNode;

  Probes(ActorSystem<?> system, PvfsFileSystem files, String managerNode) {
    this.system = system;
    this.files = files;
    this.managerNode = managerNode;
  }

  /** Returns the state of the commands' client. */
  CompletionStage<ClientSnapshot> client() {
    return client(system, files.data());
  }

  /** Returns the state of a client. */
  static CompletionStage<ClientSnapshot> client(ActorSystem<?> system, DataClient data) {
    return AskPattern.ask(data.actor(), PvfsClientActor.Inspect::new, PATIENCE, system.scheduler());
  }

  /** The results of one daemon or of the manager. */
  private record Answer(String node, String role, String why, long[] roundTripsNs, long freeBytes, long totalBytes, long inodes) {
    static Answer silent(String node, String role, String why) {
      return new Answer(node, role, why, new long[0], 0, 0, 0);
    }

    Map<String, Object> toJson() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("node", node);
      json.put("role", role);
      json.put("reached", why.isEmpty());
      if (!why.isEmpty()) {
        json.put("why", why);
        return json;
      }
      long[] sorted = roundTripsNs.clone();
      Arrays.sort(sorted);
      json.put("bestUs", sorted[0] / 1e3);
      json.put("medianUs", sorted[sorted.length / 2] / 1e3);
      if (role.equals("manager")) {
        json.put("inodes", inodes);
      } else {
        json.put("freeBytes", freeBytes);
        json.put("totalBytes", totalBytes);
      }
      return json;
    }
  }

  /** For a client that has just begun to connect: waits until it has reached all daemons, or for {@link #PATIENCE}. */
  void awaitDaemons() {
    long endNs = System.nanoTime() + PATIENCE.toNanos();
    while (!client().toCompletableFuture().join().daemons().stream().allMatch(ClientSnapshot.Daemon::isUp) && System.nanoTime() - endNs < 0) {
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  /** Asks each so many times; returns one JSON object. */
  List<String> ask(int times) {
    if (times < 1 || times > COUNT_MAX) {
      throw new CommandFailure("each is to be asked " + times + " times, must be from 1 to " + COUNT_MAX);
    }
    List<ClientSnapshot.Daemon> links = client().toCompletableFuture().join().daemons();
    List<Map<String, Object>> all = new ArrayList<>();
    for (int i = 0; i < links.size(); i++) {
      all.add(daemon(i, links.get(i), times).toJson());
    }
    all.add(manager(times).toJson());
    return List.of(MeasureJson.line(Map.of("times", times, "parts", all)));
  }

  private Answer daemon(int index, ClientSnapshot.Daemon link, int times) {
    String role = "I/O daemon";
    if (!link.isUp()) {
      return Answer.silent(link.node(), role, link.why());
    }
    Striping alone = new Striping(index, 1, Striping.STRIPE_BYTES_DEFAULT, files.daemons().size());
    long[] roundTripsNs = new long[times];
    IoTask last = null;
    for (int i = 0; i < times; i++) {
      CompletableFuture<Long> ended = new CompletableFuture<>();
      long startNs = System.nanoTime();
      last = files.data().begin(DaemonOp.STATFS, 0, alone, NONE, NONE, NO_MEMORY, _ -> ended.complete(System.nanoTime()));
      if (last == null) {
        return Answer.silent(link.node(), role, "as many operations as there may be are under way");
      }
      Long endNs = await(ended);
      if (endNs == null || last.errno() != Errno.OK) {
        return Answer.silent(link.node(), role, endNs == null ? "no answer within " + PATIENCE.toSeconds() + " s" : Errno.text(last.errno()));
      }
      roundTripsNs[i] = endNs - startNs;
    }
    return new Answer(link.node(), role, "", roundTripsNs, last.freeBytes(), last.totalBytes(), 0);
  }

  private Answer manager(int times) {
    String role = "manager";
    if (!files.meta().why().isEmpty()) {
      return Answer.silent(managerNode, role, files.meta().why());
    }
    long[] roundTripsNs = new long[times];
    MetaReply[] last = new MetaReply[1];
    for (int i = 0; i < times; i++) {
      CompletableFuture<Long> ended = new CompletableFuture<>();
      long startNs = System.nanoTime();
      boolean isAsked = files.meta().tryAsk(MetaRequest.of(MetaOp.STATFS, Caller.ROOT, ROOT), reply -> {
        last[0] = reply;
        ended.complete(System.nanoTime());
      });
      Long endNs = isAsked ? await(ended) : null;
      if (endNs == null || last[0].errno() != Errno.OK) {
        return Answer.silent(managerNode, role, !isAsked ? "as many requests as there may be are under way"
            : endNs == null ? "no answer within " + PATIENCE.toSeconds() + " s" : Errno.text(last[0].errno()));
      }
      roundTripsNs[i] = endNs - startNs;
    }
    return new Answer(managerNode, role, "", roundTripsNs, 0, 0, last[0].number());
  }

  /** Returns null if it does not come in time. */
  private static Long await(CompletableFuture<Long> ended) {
    try {
      return ended.copy().completeOnTimeout(null, PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
    } catch (CompletionException failed) {
      return null;
    }
  }
}
