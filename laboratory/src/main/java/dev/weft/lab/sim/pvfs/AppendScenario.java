package dev.weft.lab.sim.pvfs;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.FaultPlan;
import dev.weft.pvfs.layout.StripingWish;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The file system of a run, its clients, and its faults.
 *
 * @param files files that all clients append to, with the striping wished for each
 * @param programs program of each client
 * @param plan plan of the faults
 * @param stopsAnyTime whether a client may stop before its HCA is at rest: see {@link Suspension}
 */
record AppendScenario(int daemons, List<StripingWish> files, LinkProfile profile, Config settings, List<Program> programs, FaultPlan plan,
    boolean stopsAnyTime) {
  /**
   * The program of a client.
   *
   * @param steps appends in order of time
   * @param staysOpen whether its files stay open to append, so that it keeps their locks; otherwise it opens them for each append
   * @param opensAgain whether it reopens a file when an append has failed
   */
  record Program(List<AppendStep> steps, boolean staysOpen, boolean opensAgain) {}

  private static final int CHUNKS = 96;
  private static final long MS = 1_000_000L;
  /** The minimum of keep and grace for appends: a client trusts its lock for 10 s, and its HCA sends a packet for the last time 8.6 s after the first. */
  private static final int KEEP_MIN_S = 20;
  /** A draw below the minimum becomes the minimum, which is therefore frequent. */
  private static final int KEEP_LOW_S = 11;
  private static final int KEEP_MAX_S = 60;
  /** A cut between an append and its answer begins at most this long after the append. */
  private static final double AMBUSH_NS = 300_000;
  private static final int FILES_MAX = 2;

  static AppendScenario draw(Draw draw, AppendOptions options) {
    int daemons = Math.min(options.daemonsMax(), draw.between(1, AppendOptions.DAEMONS_MAX));
    int clients = Math.min(options.clientsMax(), draw.between(2, AppendOptions.CLIENTS_MAX));
    Draw wishes = draw.split();
    List<StripingWish> files = new ArrayList<>();
    for (int left = draw.pick(1, 1, FILES_MAX); left > 0; left--) {
      files.add(PvfsScenario.wish(wishes.split(), daemons));
    }
    LinkProfile profile = new LinkProfile(draw.pick(100, 1_000, 5_000), draw.chance(0.2) ? 0 : draw.pick(1, 10, 100) * 1_000_000_000L);
    int keepS = Math.max(KEEP_MIN_S, draw.between(KEEP_LOW_S, KEEP_MAX_S));
    Config settings = settings(draw.split(), keepS);
    FaultPlan all = AppendFaults.draw(draw.split(), 1_000 * MS * keepS, daemons, clients);
    double pauseNs = draw.logarithmic(MS, 1_000 * MS);
    List<Program> programs = new ArrayList<>();
    for (int client = 0; client < AppendOptions.CLIENTS_MAX; client++) {
      Draw own = draw.split();
      if (client < clients) {
        int node = 1 + daemons + client;
        List<AppendStep> steps = steps(own, all, node, files.size(), pauseNs);
        boolean staysOpen = own.chance(0.7);
        boolean opensAgain = own.chance(0.5);
        steps.addAll(aroundDrops(own, all, node, files.size()));
        programs.add(new Program(inOrder(steps, options.opsMax()), staysOpen, opensAgain));
      }
    }
    return new AppendScenario(daemons, files, profile, settings, programs, AppendFaults.only(all, options.faults()), options.stopsAnyTime());
  }

  private static Config settings(Draw draw, int keepS) {
    Config common = PvfsScenario.settings(draw.split(), CHUNKS, draw.pick(1, 5, 10, 30, 60, 120) * 1_000L);
    return ConfigFactory.parseMap(Map.of("weft.pvfs.manager.keep", keepS + " s", "weft.pvfs.manager.lease", draw.pick(1, 5, 5, 20) + " s",
        "weft.pvfs.manager.grace", draw.pick(20, 20, 60) + " s", "weft.pvfs.manager.capability", draw.pick(20, 300, 300, 300) + " s"), "appends")
        .withFallback(common);
  }

  /** Some appends at any time, and a few around each cut of the node: before it begins, during it if it hits another node, and at its end. */
  private static List<AppendStep> steps(Draw draw, FaultPlan faults, int node, int files, double pauseNs) {
    List<AppendStep> steps = new ArrayList<>();
    long at = 0;
    for (int left = draw.between(2, 12); left > 0; left--) {
      at += (long) draw.logarithmic(1_000, pauseNs);
      steps.add(step(draw, at, files));
    }
    for (Fault fault : faults.faults()) {
      if (!AppendFaults.isCut(fault.kind()) || !draw.chance(0.8)) {
        continue;
      }
      if (fault.node() == node) {
        steps.add(step(draw, Math.max(0, fault.fromNs() - (long) draw.logarithmic(1_000, AMBUSH_NS)), files));
      } else {
        steps.add(step(draw, fault.fromNs() + (long) draw.logarithmic(1_000, fault.toNs() - fault.fromNs() + 1_000.0), files));
      }
      steps.add(step(draw, fault.toNs() + (long) draw.logarithmic(1, 1_000 * MS), files));
    }
    return steps;
  }

  /** A client appends while its connection to the manager breaks, so that another one wants the lock at that moment. */
  private static List<AppendStep> aroundDrops(Draw draw, FaultPlan faults, int node, int files) {
    List<AppendStep> steps = new ArrayList<>();
    for (Fault fault : faults.faults()) {
      if (fault.kind() == FaultClass.CONNECTION_LOSS && fault.amount() == 0 && draw.chance(0.8)) {
        for (int left = draw.between(1, 3); left > 0; left--) {
          long distanceNs = (long) draw.logarithmic(1_000, AMBUSH_NS);
          steps.add(step(draw, Math.max(0, fault.fromNs() + (fault.node() == node ? -distanceNs : distanceNs)), files));
        }
      }
    }
    return steps;
  }

  private static List<AppendStep> inOrder(List<AppendStep> steps, int most) {
    return steps.stream().sorted(Comparator.comparingLong(AppendStep::atNs)).limit(most).toList();
  }

  private static AppendStep step(Draw draw, long atNs, int files) {
    return new AppendStep(atNs, draw.between(0, files - 1), (int) draw.logarithmic(1, AppendStep.BYTES_MAX));
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
    return daemons + " daemons, " + clients() + " clients with " + programs.stream().map(own -> own.steps().size()).toList() + " appends, files "
        + files.stream().map(wish -> wish.base() + "/" + wish.count() + "/" + wish.stripeBytes()).toList() + ", keep "
        + settings.getString("weft.pvfs.manager.keep") + ", lease " + settings.getString("weft.pvfs.manager.lease") + ", patience "
        + client.getString("patience") + ", band " + client.getString("band");
  }
}
