package dev.weft.tripwire.service;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.AskPattern;
import dev.weft.fabric.HardwareMessage;
import dev.weft.service.NotThereException;
import dev.weft.service.Paging;
import dev.weft.service.Section;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.cam.Cam;
import dev.weft.tripwire.cam.CamSnapshot;
import dev.weft.tripwire.device.NicActor;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * {@code /weft/nics}: CLAN NICs by the name of their node. Apertures appear with number and length; no snapshot contains the keys of their
 * descriptors.
 */
public final class NicSection implements Section {
  /** Name of the section. */
  public static final String NAME = "nics";
  /** Limit for an answer; a later one is useless. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Supplier<List<Nic>> nics;
  private final ActorSystem<?> system;

  /** @param nics returns the NICs that are attached now */
  public NicSection(Supplier<List<Nic>> nics, ActorSystem<?> system) {
    this.nics = nics;
    this.system = system;
  }

  @Override
  public List<String> routes() {
    return List.of("", "/{name}", "/{name}/cam", "/{name}/apertures", "/{name}/mappings", "/{name}/endpoints", "/{name}/queues");
  }

  private record Brief(String node, int lid, boolean linkUp, int tripwires, int armed, long firings, int apertures, int mappings,
      int endpoints, int eventQueues) {
    static Brief of(Nic nic, NicSnapshot s) {
      return new Brief(nic.node().name(), s.lid(), s.linkUp(), s.tripwires(), s.armed(), s.firings(), s.apertures().size(),
          s.mappings().size(), s.endpoints().size(), s.eventQueues().size());
    }
  }

  /** The CAM without its entries. */
  private record CamView(int tripwires, int tripwiresMax, int armed, long firings, int fifo, long fifoOverflows) {}

  private record Detail(String node, int lid, boolean linkUp, int linkCredits, long xoffs, long xoffsSaid, int inputPackets, CamView cam,
      int readsOutstanding,
      Paging.Page<NicSnapshot.Aperture> apertures, Paging.Page<NicSnapshot.Mapping> mappings, Paging.Page<NicSnapshot.Port> endpoints,
      Paging.Page<NicSnapshot.Queue> queues, NicSnapshot.Counters counters) {}

  /**
   * A Tripwire.
   *
   * @param of number of the watched aperture or mapping; null for registered memory, and if it was never set
   * @param offset offset in it, or the address of registered memory
   */
  private record Entry(int id, String watches, Integer of, Long offset, Long length, boolean armed, boolean once, List<String> actions,
      long matches) {
    static Entry of(CamSnapshot.Entry e) {
      if (e.bank() == null) {
        return new Entry(e.id(), null, null, null, null, e.armed(), e.once(), List.of(), e.matches());
      }
      boolean registered = e.bank() == Bank.REGION_READ || e.bank() == Bank.REGION_WRITE;
      return new Entry(e.id(), e.bank().name().toLowerCase(Locale.ROOT).replace('_', ' '),
          registered ? null : NetworkAddress.number(e.start()), registered ? e.start() : NetworkAddress.offset(e.start()), e.end() - e.start(), e.armed(),
          e.once(), actions(e.actions()), e.matches());
    }

    private static List<String> actions(int bits) {
      List<String> names = new ArrayList<>();
      if ((bits & Cam.FIFO) != 0) {
        names.add("fifo");
      }
      if ((bits & Cam.BITMAP) != 0) {
        names.add("bitmap");
      }
      if ((bits & Cam.COUNTER) != 0) {
        names.add("counter");
      }
      return names;
    }
  }

  @Override
  public CompletionStage<?> find(List<String> path, Paging paging) {
    if (path.isEmpty()) {
      return all(paging);
    }
    String part = path.size() == 1 ? "" : path.size() == 2 ? path.get(1) : String.join("/", path.subList(1, path.size()));
    Nic nic = nic(path.getFirst());
    return switch (part) {
      case "" -> snapshot(nic).thenApply(s -> detail(nic, s, paging));
      case "cam" -> cam(nic, paging).thenApply(cam -> new Paging.Page<>(cam.total(), cam.offset(),
          cam.entries().stream().map(Entry::of).toList()));
      case "apertures" -> snapshot(nic).thenApply(s -> paging.of(s.apertures()));
      case "mappings" -> snapshot(nic).thenApply(s -> paging.of(s.mappings()));
      case "endpoints" -> snapshot(nic).thenApply(s -> paging.of(s.endpoints()));
      case "queues" -> snapshot(nic).thenApply(s -> paging.of(s.eventQueues()));
      default -> throw new NotThereException("a NIC has no " + part, "a NIC has cam, apertures, mappings, endpoints and queues");
    };
  }

  private Nic nic(String node) {
    List<Nic> attached = nics.get();
    return attached.stream().filter(nic -> nic.node().name().equals(node)).findFirst().orElseThrow(() -> new NotThereException(
        "there is no NIC at a node " + node + " in this JVM", "nodes with a NIC: " + attached.stream().map(nic -> nic.node().name()).toList()));
  }

  private CompletableFuture<NicSnapshot> snapshot(Nic nic) {
    return AskPattern.<HardwareMessage, NicSnapshot>ask(nic.actor(), NicActor.Inspect::new, PATIENCE, system.scheduler()).toCompletableFuture();
  }

  private CompletableFuture<CamSnapshot> cam(Nic nic, Paging paging) {
    return AskPattern.<HardwareMessage, CamSnapshot>ask(nic.actor(), replyTo -> new NicActor.InspectCam(paging.offset(), paging.limit(), replyTo),
        PATIENCE, system.scheduler()).toCompletableFuture();
  }

  private CompletableFuture<?> all(Paging paging) {
    List<CompletableFuture<Brief>> asked = nics.get().stream().map(nic -> snapshot(nic).thenApply(s -> Brief.of(nic, s))).toList();
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(done -> paging.of(asked.stream().map(CompletableFuture::join).toList()));
  }

  private static Detail detail(Nic nic, NicSnapshot s, Paging paging) {
    return new Detail(nic.node().name(), s.lid(), s.linkUp(), s.credits(), s.xoffs(), s.xoffsSaid(), s.input(),
        new CamView(s.tripwires(), s.tripwiresMax(), s.armed(), s.firings(), s.fifo(), s.fifoOverflows()), s.readsOutstanding(),
        paging.of(s.apertures()), paging.of(s.mappings()), paging.of(s.endpoints()), paging.of(s.eventQueues()), s.counters());
  }
}
