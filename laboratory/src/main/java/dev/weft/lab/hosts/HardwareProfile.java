package dev.weft.lab.hosts;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.host.DiskCosts;
import dev.weft.fabric.host.HostHardware;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.time.VirtualSystem;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A hardware profile: the costs that virtual time charges. It is read once from a file {@code profiles/NAME.conf}. A comment there
 * gives the source of every number; calibrated numbers name their rows of {@code figures.csv}.
 *
 * @param name file name without its extension
 * @param title one line for reports
 * @param cpu processors and their operating system
 * @param memory memory of a host
 * @param adapter HCA and bus
 * @param link each cable, from end to end
 * @param switchNs latency of a switch in nanoseconds
 * @param isCutThrough whether switches forward a packet as soon as its head has arrived
 * @param mtuBytes largest path MTU, a power of two from 256
 * @param disk the disk of a host
 */
public record HardwareProfile(String name, String title, CpuCosts cpu, MemoryCosts memory, AdapterCosts adapter, LinkProfile link,
    long switchNs, boolean isCutThrough, int mtuBytes, DiskCosts disk) implements HostHardware {
  /** The profiles that ship with Weft. */
  public static final List<String> NAMES =
      List.of("ib-2003-p3", "ib-2003-xeon", "ib-2005-xeon", "clan-alpha", "lanai9", "modern");

  private static final String CUT_THROUGH = "cut-through";
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?");

  public HardwareProfile {
    ProfileReader.checkTime("switch.latency", switchNs);
    ProfileReader.check("link.mtu", mtuBytes, 256, 65_536);
    if (Integer.bitCount(mtuBytes) != 1) {
      throw new IllegalArgumentException("profile: link.mtu is " + mtuBytes + ", must be a power of two");
    }
  }

  /**
   * Reads a profile from the class path.
   *
   * @throws IllegalArgumentException if no profile has that name, or a value is missing or out of range; the message names it
   */
  public static HardwareProfile load(String name) {
    return load(name, ConfigFactory.empty());
  }

  /** Does the same, but {@code overrides} replaces some of its values, for what-if experiments. */
  public static HardwareProfile load(String name, Config overrides) {
    String resource = "profiles/" + name + ".conf";
    if (!NAME.matcher(name).matches() || HardwareProfile.class.getClassLoader().getResource(resource) == null) {
      throw new IllegalArgumentException("there is no hardware profile '" + name + "'; there are " + String.join(", ", NAMES));
    }
    return parse(name, overrides.withFallback(ConfigFactory.parseResources(HardwareProfile.class.getClassLoader(), resource,
        ConfigParseOptions.defaults().setAllowMissing(false))).resolve());
  }

  /** Reads a profile from a configuration with the same keys. */
  public static HardwareProfile parse(String name, Config c) {
    try {
      return new HardwareProfile(name, c.getString("title"), CpuCosts.from(c.getConfig("cpu")),
          MemoryCosts.from(c.getConfig("memory")), AdapterCosts.from(c.getConfig("hca"), c.getConfig("bus")),
          new LinkProfile(ProfileReader.ns(c, "link.latency"), c.getLong("link.bits-per-second")),
          ProfileReader.ns(c, "switch.latency"), isCutThrough(c), Math.toIntExact(c.getBytes("link.mtu")),
          disk(c.getConfig("disk")));
    } catch (ConfigException e) {
      throw new IllegalArgumentException("hardware profile '" + name + "': " + e.getMessage(), e);
    }
  }

  private static DiskCosts disk(Config c) {
    return new DiskCosts(ProfileReader.ns(c, "seek"), ProfileReader.ns(c, "rotation"), c.getBytes("read-bandwidth"),
        c.getBytes("write-bandwidth"));
  }

  @Override
  public VirtualHost host(VirtualSystem system, String hostName) {
    return new VirtualHost(system, hostName, this);
  }

  @Override
  public Behavior<HardwareMessage> adapter(FabricContext fabric, ActorRef<HardwareMessage> hca, Cable wire) {
    return HostAdapter.create(adapter, fabric, hca, wire);
  }

  @Override
  public Cable cableOf(ActorRef<HardwareMessage> adapterRef) {
    return HostAdapter.cableOf(adapterRef);
  }

  private static boolean isCutThrough(Config c) {
    return c.hasPath("switch.forwarding") && c.getString("switch.forwarding").equals(CUT_THROUGH);
  }
}
