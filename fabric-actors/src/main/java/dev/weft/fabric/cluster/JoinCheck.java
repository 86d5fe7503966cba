package dev.weft.fabric.cluster;

import akka.cluster.ConfigValidation;
import akka.cluster.Invalid;
import akka.cluster.JoinConfigCompatChecker;
import akka.cluster.Valid$;
import com.typesafe.config.Config;
import java.util.ArrayList;
import java.util.List;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Keeps a JVM out of a fabric with which it is not compatible: another version of Weft, another number of virtual lanes, or another strategy
 * for partitions. Akka asks both sides, but gives the reason to neither. So the joining JVM decides, and {@link #refusal} has the reason for
 * its user. Akka then ends the JVM's actor system.
 */
public final class JoinCheck extends JoinConfigCompatChecker {
  static final String VERSION = "weft.fabric.cluster.version";
  private static final String LANES = "weft.fabric.switch.virtual-lanes";
  private static final String SURVIVORS = "akka.cluster.split-brain-resolver.active-strategy";
  private static final String SEEDS = "akka.cluster.seed-nodes";

  /** The reason of the last refusal. A JVM joins only one fabric, so there is only one. */
  private static volatile String refusal;

  @Override
  public Seq<String> requiredKeys() {
    return CollectionConverters.asScala(List.of(VERSION, LANES, SURVIVORS)).toSeq();
  }

  @Override
  public ConfigValidation check(Config theirs, Config own) {
    if (own.getStringList(SEEDS).isEmpty()) {
      return Valid$.MODULE$; // The first JVM of a fabric.
    }
    List<String> objections = objections(theirs, own);
    if (objections.isEmpty()) {
      return Valid$.MODULE$;
    }
    refusal = String.join("; ", objections);
    return new Invalid(CollectionConverters.asScala(objections).toSeq());
  }

  /** Returns the reasons that keep a JVM with configuration {@code own} out of the fabric with {@code theirs}; empty if there are none. */
  static List<String> objections(Config theirs, Config own) {
    List<String> objections = new ArrayList<>();
    String version = text(theirs, VERSION);
    if (!version.equals(text(own, VERSION))) {
      objections.add("the fabric runs Weft " + version + ", this is " + text(own, VERSION) + "; use the same version on all hosts");
    }
    String lanes = text(theirs, LANES);
    if (!lanes.equals(text(own, LANES))) {
      objections.add(LANES + " is " + lanes + " in the fabric and " + text(own, LANES) + " here; set it to " + lanes);
    }
    String survivors = text(theirs, SURVIVORS);
    if (!survivors.equals("unknown") && !survivors.equals(text(own, SURVIVORS))) {
      objections.add(survivors.equals("keep-majority")
          ? "the fabric was started by 'weft up', and this JVM joins it as another program's; call dev.weft.service.access.FabricAccess.open() instead"
          : SURVIVORS + " is " + survivors + " in the fabric and " + text(own, SURVIVORS) + " here; a JVM joins a program's fabric by"
              + " ClusterFabric.join(address), and that of 'weft up' by FabricAccess.open()");
    }
    return objections;
  }

  private static String text(Config config, String path) {
    return config.hasPath(path) ? config.getString(path) : "unknown";
  }

  /** Returns the version of Weft's control messages, which is that of the jar. */
  static String ownVersion() {
    String version = JoinCheck.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** Returns in one line why the fabric did not admit this JVM; null if it did, or has not answered yet. Any thread. */
  public static String refusal() {
    return refusal;
  }
}
