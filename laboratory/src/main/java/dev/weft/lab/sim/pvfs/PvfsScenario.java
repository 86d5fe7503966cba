package dev.weft.lab.sim.pvfs;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.lab.kit.Draw;
import dev.weft.pvfs.layout.StripingWish;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The file system and the programs of one run.
 *
 * @param chunks chunks of memory of each daemon
 * @param isRoomy whether that is enough for everything that can be written
 * @param files files that all clients use, with the striping wished for each
 * @param programs programs of each client
 * @param disk disk of each daemon; null if stripes are in memory
 * @param locking locks of programs
 * @param hasForger whether there is a {@link Forger}
 * @param isFilled whether programs begin with writes that may find no room
 * @param isCut whether files are cut again and again, and a server may die after a cut
 */
record PvfsScenario(int daemons, int chunks, boolean isRoomy, List<StripingWish> files, LinkProfile profile, Config settings, long patienceNs,
    List<List<List<Step>>> programs, DiskPlan disk,
    Locking locking, boolean hasForger, boolean isFilled, boolean isCut) {
  /** The locks of programs. */
  enum Locking {
    NONE(""),
    /** Various locks around the steps. */
    AROUND(" that lock"),
    /** One common lock, for which all wait. */
    CROWD(" that wait for one lock");

    private final String words;

    Locking(String words) {
      this.words = words;
    }
  }

  private static final long CHUNK_BYTES = 64 << 10;
  private static final int ROOMY_CHUNKS = 96;
  private static final double FILLED_SHARE = 0.5;
  private static final double CUT_SHARE = 0.3;
  private static final double CHUNKS_SHARE = 0.4;
  /** Lifetime of capabilities outside of simulations. */
  private static final int LONG_S = 300;

  static PvfsScenario draw(Draw draw, PvfsOptions options) {
    int daemons = Math.min(options.daemonsMax(), draw.between(1, PvfsOptions.DAEMONS_MAX));
    boolean isRoomy = draw.chance(0.7);
    int chunks = isRoomy ? ROOMY_CHUNKS : draw.between(2, 12);
    List<StripingWish> files = new ArrayList<>();
    Draw wishes = draw.split();
    for (int left = draw.between(1, 3); left > 0; left--) {
      files.add(wish(wishes.split(), daemons));
    }
    LinkProfile profile = new LinkProfile(draw.pick(100, 1_000, 5_000), draw.chance(0.2) ? 0 : draw.pick(1, 10, 100) * 1_000_000_000L);
    long patienceMs = draw.pick(1_000, 5_000, 30_000);
    Config settings = settings(draw.split(), chunks, patienceMs);
    List<List<List<Step>>> programs = new ArrayList<>();
    int clients = draw.between(1, PvfsOptions.CLIENTS_MAX);
    Draw ofPrograms = draw.split();
    StepPlanner planner = new StepPlanner(ofPrograms.split(), files, options.opsMax());
    for (int client = 0; client < PvfsOptions.CLIENTS_MAX; client++) {
      int count = ofPrograms.between(1, PvfsOptions.THREADS_MAX);
      List<List<Step>> own = new ArrayList<>();
      for (int i = 0; i < PvfsOptions.THREADS_MAX; i++) {
        Draw of = ofPrograms.split();
        if (i < Math.min(count, options.threadsMax())) {
          own.add(planner.plan(of));
        }
      }
      if (client < Math.min(clients, options.clientsMax())) {
        programs.add(own);
      }
    }
    Draw ofDisks = draw.split();
    DiskPlan disk = DiskPlan.draw(ofDisks.split());
    Config all = ConfigFactory.parseMap(DiskPlan.settings(ofDisks.split()), "disks").withFallback(settings);
    Draw ofSyncs = ofDisks.split();
    if (disk != null) {
      programs.replaceAll(own -> own.stream().map(steps -> StepPlanner.withSyncs(steps, ofSyncs.split())).toList());
    }
    Draw ofLocks = draw.split();
    Locking locking = Locking.NONE;
    if (LockSteps.draw(ofLocks.split())) {
      all = ConfigFactory.parseMap(Map.of("weft.pvfs.manager.grace", ofLocks.pick(20, 60, 60) + " s"), "locks").withFallback(all);
      Draw ofSteps = ofLocks.split();
      boolean isCrowd = LockSteps.drawCrowd(ofLocks);
      List<List<Step>> first = programs.getFirst();
      programs.replaceAll(own -> own.stream().map(steps -> isCrowd ? LockSteps.inCrowd(steps, ofSteps.split(), own == first)
          : LockSteps.around(steps, ofSteps.split(), files.size())).toList());
      locking = isCrowd ? Locking.CROWD : Locking.AROUND;
    }
    Draw ofCapabilities = draw.split();
    all = ConfigFactory.parseMap(Map.of("weft.pvfs.manager.capability", ofCapabilities.pick(2, LONG_S, LONG_S) + " s"), "capabilities").withFallback(all);
    boolean hasForger = Forger.draw(ofCapabilities);
    Draw ofRoom = draw.split();
    boolean isFilled = (!isRoomy || disk != null) && ofRoom.chance(FILLED_SHARE);
    if (isFilled && !isRoomy) {
      chunks = ofRoom.between(1, 2);
      all = ConfigFactory.parseMap(Map.of("weft.pvfs.daemon.memory", chunks * CHUNK_BYTES), "room").withFallback(all);
    }
    if (isFilled) {
      programs.replaceAll(own -> own.stream().map(steps -> StepPlanner.behindWrites(steps, ofRoom.split(), files)).toList());
    }
    Draw ofCuts = draw.split();
    boolean isCut = !isFilled && ofCuts.chance(CUT_SHARE);
    if (isCut) {
      boolean syncs = disk != null;
      programs.replaceAll(own -> own.stream().map(steps -> StepPlanner.withCuts(steps, ofCuts.split(), files, syncs)).toList());
    }
    Draw ofChunks = draw.split();
    int chunked = (int) files.stream().takeWhile(wish -> wish.stripeBytes() < CHUNK_BYTES).count();
    if (!isFilled && !isCut && chunked < files.size() && ofChunks.chance(CHUNKS_SHARE)) {
      int window = (int) (CHUNK_BYTES * ofChunks.between(1, 4));
      all = ConfigFactory.parseMap(Map.of("weft.pvfs.client.request", CHUNK_BYTES, "weft.pvfs.client.window", window), "chunks").withFallback(all);
      programs.replaceAll(own -> own.stream().map(steps -> StepPlanner.withChunks(steps, ofChunks.split(), chunked)).toList());
    }
    return new PvfsScenario(daemons, chunks, isRoomy, files, profile, all, patienceMs * 1_000_000L, programs, disk, locking, hasForger, isFilled,
        isCut);
  }

  static StripingWish wish(Draw draw, int daemons) {
    int stripe = draw.pick(4, 64, 1_000, 4_096, 65_536, 65_536);
    return new StripingWish(draw.chance(0.5) ? StripingWish.ANY : draw.between(0, PvfsOptions.DAEMONS_MAX - 1) % daemons,
        draw.chance(0.6) ? StripingWish.ANY : 1 + draw.between(0, PvfsOptions.DAEMONS_MAX - 1) % daemons, stripe);
  }

  /** Settings that all runs draw. */
  static Config settings(Draw draw, int chunks, long patienceMs) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("weft.hca.window-packets", draw.chance(0.5) ? 2048 : draw.between(2, 200));
    map.put("weft.hca.ack-interval-packets", draw.between(1, 2));
    map.put("weft.hca.burst-packets", draw.pick(1, 4, 64));
    map.put("weft.hca.receive-buffer-packets", draw.chance(0.5) ? 256 : draw.between(2, 64));
    map.put("weft.hca.path-mtu-max", draw.pick(1024, 4096, 4096));
    map.put("weft.fabric.switch.input-buffer-packets", draw.chance(0.5) ? 128 : draw.between(1, 32));
    map.put("weft.pvfs.manager.context", context(draw));
    map.put("weft.pvfs.manager.credits", draw.pick(2, 2, 4));
    map.put("weft.pvfs.manager.clients-max", 16);
    map.put("weft.pvfs.manager.keep", "300 s");
    map.put("weft.pvfs.daemon.context", context(draw));
    map.put("weft.pvfs.daemon.memory", chunks * CHUNK_BYTES);
    map.put("weft.pvfs.daemon.credits", draw.pick(1, 2, 4, 8));
    map.put("weft.pvfs.daemon.clients-max", 16);
    map.put("weft.pvfs.daemon.inline", draw.pick(0, 64, 512));
    map.put("weft.pvfs.daemon.fast", draw.pick(0, 256, 2_048, 8_192));
    map.put("weft.pvfs.daemon.fast-slots", draw.pick(0, 1, 2));
    map.put("weft.pvfs.daemon.transfer", draw.pick(4_096, 16_384, 1 << 20));
    map.put("weft.pvfs.client.context", context(draw));
    map.put("weft.pvfs.client.credits", draw.pick(1, 2, 4, 8));
    map.put("weft.pvfs.client.inline", draw.pick(0, 64, 512));
    map.put("weft.pvfs.client.fast", draw.pick(0, 256, 2_048, 8_192));
    map.put("weft.pvfs.client.fast-slots", draw.pick(0, 1, 2));
    int request = draw.pick(4_096, 16_384, 65_536);
    map.put("weft.pvfs.client.request", request);
    map.put("weft.pvfs.client.window", request * draw.pick(1, 2, 4));
    map.put("weft.pvfs.client.tasks-max", 64);
    map.put("weft.pvfs.client.meta-credits", draw.pick(2, 2, 4));
    map.put("weft.pvfs.client.registration", List.of("dynamic", "pin-down-cache", "fmrd").get(draw.between(0, 2)));
    map.put("weft.pvfs.client.band", draw.chance(0.7) ? "auto" : List.of("inline", "fast", "server").get(draw.between(0, 2)));
    map.put("weft.pvfs.client.reconnect", draw.pick(100, 100, 500) + " ms");
    map.put("weft.pvfs.client.patience", patienceMs + " ms");
    return ConfigFactory.parseMap(map, "scenario");
  }

  private static String context(Draw draw) {
    return List.of("isr", "task-queue", "process", "polling").get(draw.between(0, 3));
  }

  /** Whether capabilities expire during faults of nodes. */
  boolean capabilitiesAreShort() {
    return settings.getDuration("weft.pvfs.manager.capability").toSeconds() < LONG_S;
  }

  boolean hasDisks() {
    return disk != null;
  }

  /** Delay before clients connect again. */
  long reconnectNs() {
    return settings.getDuration("weft.pvfs.client.reconnect").toNanos();
  }

  /** Room of each daemon for stripes. */
  long daemonBytes() {
    return chunks * CHUNK_BYTES;
  }

  int clients() {
    return programs.size();
  }

  /** Number of nodes: the manager, the daemons, the clients. */
  int nodes() {
    return 1 + daemons + clients();
  }

  @Override
  public String toString() {
    Config client = settings.getConfig("weft.pvfs.client");
    Config daemon = settings.getConfig("weft.pvfs.daemon");
    return daemons + " daemons" + (hasDisks() ? " with disks" : "") + " of " + chunks + " chunks, " + clients() + " clients with "
        + programs.stream().map(own -> "" + own.size()).toList() + " programs" + locking.words
        + (hasForger ? ", a forger" : "") + (isFilled ? ", filled" : "") + (isCut ? ", cut" : "")
        + ", files " + files.stream().map(wish -> wish.base() + "/" + wish.count() + "/" + wish.stripeBytes()).toList() + ", band "
        + client.getString("band") + ", inline " + client.getBytes("inline") + "/" + daemon.getBytes("inline") + ", fast " + client.getBytes("fast") + "/"
        + daemon.getBytes("fast") + ", " + client.getString("registration") + ", credits " + client.getInt("credits") + "/" + daemon.getInt("credits")
        + ", patience " + patienceNs / 1_000_000_000L + " s";
  }
}
