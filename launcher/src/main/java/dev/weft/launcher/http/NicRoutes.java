package dev.weft.launcher.http;

import dev.weft.tripwire.NetworkAddress;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.NicCounters;
import dev.weft.tripwire.NicSnapshot;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.cam.Cam;
import dev.weft.tripwire.cam.CamSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * {@code /weft/nics}: CLAN NICs by the name of their node. Apertures are shown by number and length; the keys that their descriptors
 * carry are no part of any snapshot.
 */
final class NicRoutes {
  static final List<String> ROUTES = List.of("/weft/nics", "/weft/nics/{name}", "/weft/nics/{name}/cam", "/weft/nics/{name}/apertures",
      "/weft/nics/{name}/mappings", "/weft/nics/{name}/endpoints", "/weft/nics/{name}/queues");
  static final String HINT = "a NIC has cam, apertures, mappings, endpoints and queues";

  private final Elements elements;

  NicRoutes(Elements elements) {
    this.elements = elements;
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
      Paging.Page<NicSnapshot.Queue> queues, NicCounters.Snapshot counters) {}

  /**
   * A Tripwire.
   *
   * @param of number of the aperture or mapping that it watches; null for registered memory and what was never set
   * @param offset in it, or the address of registered memory
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

  /** What is below {@code /weft/nics}; null if there is nothing of that name. */
  CompletableFuture<?> find(List<String> rest, Paging paging) {
    if (rest.isEmpty()) {
      return all(paging);
    }
    if (rest.size() > 2) {
      return null;
    }
    Nic nic = elements.nic(rest.getFirst());
    return switch (rest.size() == 1 ? "" : rest.get(1)) {
      case "" -> elements.snapshot(nic).thenApply(s -> detail(nic, s, paging));
      case "cam" -> elements.cam(nic, paging.offset(), paging.limit()).thenApply(cam -> new Paging.Page<>(cam.total(), cam.offset(),
          cam.entries().stream().map(Entry::of).toList()));
      case "apertures" -> elements.snapshot(nic).thenApply(s -> paging.of(s.apertures()));
      case "mappings" -> elements.snapshot(nic).thenApply(s -> paging.of(s.mappings()));
      case "endpoints" -> elements.snapshot(nic).thenApply(s -> paging.of(s.endpoints()));
      case "queues" -> elements.snapshot(nic).thenApply(s -> paging.of(s.eventQueues()));
      default -> null;
    };
  }

  private CompletableFuture<?> all(Paging paging) {
    List<CompletableFuture<Brief>> asked = elements.inspection().nics().get().stream()
        .map(nic -> elements.snapshot(nic).thenApply(s -> Brief.of(nic, s))).toList();
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(done -> paging.of(asked.stream().map(CompletableFuture::join).toList()));
  }

  private static Detail detail(Nic nic, NicSnapshot s, Paging paging) {
    return new Detail(nic.node().name(), s.lid(), s.linkUp(), s.credits(), s.xoffs(), s.xoffsSaid(), s.input(),
        new CamView(s.tripwires(), s.tripwiresMax(), s.armed(), s.firings(), s.fifo(), s.fifoOverflows()), s.readsOutstanding(),
        paging.of(s.apertures()), paging.of(s.mappings()), paging.of(s.endpoints()), paging.of(s.eventQueues()), s.counters());
  }
}
