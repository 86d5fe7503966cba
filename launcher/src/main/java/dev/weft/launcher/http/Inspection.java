package dev.weft.launcher.http;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.hca.node.Node;
import dev.weft.tripwire.Nic;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What one JVM shows of itself over HTTP. Suppliers are called on Akka's default dispatcher, once per request, by several threads at
 * a time; they must not block. What they return is turned into JSON: records, maps, lists, strings, numbers. A {@code
 * CompletionStage} is waited for without blocking, at most {@code weft.http.ask-timeout}.
 *
 * @param version version of Weft
 * @param jvm name of this JVM; in a cluster the {@code host:port} of its Akka address, as in {@code NodeEntry.jvm}
 * @param nodes the nodes that this JVM carries now
 * @param leafSwitch the switch that they are cabled to
 * @param directory who is on the fabric
 * @param dispatcher runs the hardware actors
 * @param nics CLAN NICs of the nodes, those that are attached now
 * @param exports block devices that this JVM offers now, for alarms
 * @param sections further parts, by name: each becomes {@code /weft/<name>}, among them {@link #TRUNKS} and {@link
 *     PagerSection#NAME}
 */
public record Inspection(
    String version,
    String jvm,
    Supplier<List<Node>> nodes,
    ActorRef<SwitchActor.Command> leafSwitch,
    Directory directory,
    HardwareDispatcher dispatcher,
    Supplier<List<Nic>> nics,
    Supplier<List<PagerSection.Export>> exports,
    Map<String, Supplier<?>> sections) {

  /** Section of the trunks to other JVMs. */
  public static final String TRUNKS = "trunks";

  private static final Set<String> OWN_ROUTES = Set.of("status", "nodes", "switch", "dispatcher", "directory", "nics");

  /** Checks the names of sections: lower-case letters, digits and dashes, and not a name of Weft's own routes. */
  public Inspection {
    sections.keySet().forEach(Inspection::checkName);
    sections = Collections.unmodifiableMap(new LinkedHashMap<>(sections));
  }

  /** A JVM without further sections. The version is that of the jar this class came from, or {@code development}. */
  public static Inspection of(String jvm, Supplier<List<Node>> nodes, ActorRef<SwitchActor.Command> leafSwitch,
      Directory directory, HardwareDispatcher dispatcher) {
    String packaged = Inspection.class.getPackage().getImplementationVersion();
    return new Inspection(packaged == null ? "development" : packaged, jvm, nodes, leafSwitch, directory, dispatcher, List::of, List::of, Map.of());
  }

  /** The same with one more section. */
  public Inspection withSection(String name, Supplier<?> content) {
    Map<String, Supplier<?>> more = new LinkedHashMap<>(sections);
    if (more.put(name, content) != null) {
      throw new IllegalArgumentException("there is a section named " + name + " already");
    }
    return new Inspection(version, jvm, nodes, leafSwitch, directory, dispatcher, nics, exports, more);
  }

  /** The same with these CLAN NICs. */
  public Inspection withNics(Supplier<List<Nic>> attached) {
    return new Inspection(version, jvm, nodes, leafSwitch, directory, dispatcher, attached, exports, sections);
  }

  /** The same with these block devices. */
  public Inspection withExports(Supplier<List<PagerSection.Export>> offered) {
    return new Inspection(version, jvm, nodes, leafSwitch, directory, dispatcher, nics, offered, sections);
  }

  /** The same with its trunks, such as the answer of the fabric agent. */
  public Inspection withTrunks(Supplier<?> trunks) {
    return withSection(TRUNKS, trunks);
  }

  /** The same with another version. */
  public Inspection withVersion(String other) {
    return new Inspection(other, jvm, nodes, leafSwitch, directory, dispatcher, nics, exports, sections);
  }

  private static void checkName(String name) {
    if (!name.matches("[a-z][a-z0-9-]{0,31}") || OWN_ROUTES.contains(name)) {
      throw new IllegalArgumentException("section \"" + name + "\" must be 1 to 32 lower-case letters, digits and dashes, start "
          + "with a letter and not be one of " + OWN_ROUTES.stream().sorted().toList());
    }
  }
}
