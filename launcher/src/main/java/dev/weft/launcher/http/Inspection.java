package dev.weft.launcher.http;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.capture.CaptureHub;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.hca.node.Node;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.process.CaptureKey;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The elements of one JVM that HTTP inspection shows. Suppliers are called once per request on Akka's default dispatcher, by several
 * threads at a time; they must not block. Their results become JSON: records, maps, lists, strings, numbers. The result may be a {@code
 * CompletionStage}; inspection waits for it without blocking, at most {@code weft.http.ask-timeout}.
 *
 * @param version version of Weft
 * @param jvm name of this JVM; in a cluster, the {@code host:port} of its Akka address, as in {@code NodeEntry.jvm}
 * @param nodes returns the nodes that this JVM carries now
 * @param leafSwitch the switch to which the nodes are cabled
 * @param directory the nodes of the fabric
 * @param dispatcher runs the hardware actors
 * @param capture the cables of the nodes, with the key that a capture needs; null if they cannot be captured
 * @param services the running services of this JVM by name
 * @param sections further sections by name, including those of the services; each becomes {@code /weft/<name>}
 */
public record Inspection(
    String version,
    String jvm,
    Supplier<List<Node>> nodes,
    ActorRef<SwitchActor.Command> leafSwitch,
    Directory directory,
    HardwareDispatcher dispatcher,
    Capturing capture,
    Map<String, Running> services,
    Map<String, Section> sections) {

  /** Name of the section with the trunks to other JVMs. */
  public static final String TRUNKS = "trunks";

  private static final Set<String> OWN_ROUTES = Set.of("status", "nodes", "switch", "dispatcher", "directory", CaptureRoute.NAME);

  /** Checks the names of sections: lower-case letters, digits and dashes, and not a name of Weft's own routes. */
  public Inspection {
    sections.keySet().forEach(Inspection::checkName);
    sections = Collections.unmodifiableMap(new LinkedHashMap<>(sections));
    services = Collections.unmodifiableMap(new LinkedHashMap<>(services));
  }

  /** Makes the inspection of a JVM without services. The version is that of this class's jar, or {@code development}. */
  public static Inspection of(String jvm, Supplier<List<Node>> nodes, ActorRef<SwitchActor.Command> leafSwitch,
      Directory directory, HardwareDispatcher dispatcher) {
    String packaged = Inspection.class.getPackage().getImplementationVersion();
    return new Inspection(packaged == null ? "development" : packaged, jvm, nodes, leafSwitch, directory, dispatcher, null, Map.of(), Map.of());
  }

  /** Returns the same inspection with one more section, which has no paths below it. */
  public Inspection withSection(String name, Supplier<?> content) {
    return new Inspection(version, jvm, nodes, leafSwitch, directory, dispatcher, capture, services, plus(sections, Map.of(name, Section.of(content))));
  }

  /** Returns the same inspection with these services and their sections. */
  public Inspection withServices(Map<String, ? extends Running> running) {
    Map<String, Running> all = new LinkedHashMap<>(services);
    all.putAll(running);
    Map<String, Section> more = sections;
    for (Running service : running.values()) {
      more = plus(more, service.sections());
    }
    return new Inspection(version, jvm, nodes, leafSwitch, directory, dispatcher, capture, all, more);
  }

  /**
   * Cables that can be captured.
   *
   * @param key the key that a client must show if the port requires no token
   */
  public record Capturing(CaptureHub cables, CaptureKey key) {}

  /** Returns the same inspection with cables that a client can capture if it shows {@code key}, or the token if the port requires one. */
  public Inspection withCapture(CaptureHub cables, CaptureKey key) {
    return new Inspection(version, jvm, nodes, leafSwitch, directory, dispatcher, new Capturing(cables, key), services, sections);
  }

  private static Map<String, Section> plus(Map<String, Section> sections, Map<String, Section> added) {
    Map<String, Section> more = new LinkedHashMap<>(sections);
    added.forEach((name, section) -> {
      if (more.put(name, section) != null) {
        throw new IllegalArgumentException("there is a section named " + name + " already");
      }
    });
    return more;
  }

  /** Returns the same inspection with the trunks, such as the answer of the fabric agent. */
  public Inspection withTrunks(Supplier<?> trunks) {
    return withSection(TRUNKS, trunks);
  }

  /** Returns the same inspection with another version. */
  public Inspection withVersion(String other) {
    return new Inspection(other, jvm, nodes, leafSwitch, directory, dispatcher, capture, services, sections);
  }

  /** Returns the view of the services. */
  ServicesView servicesView() {
    return new ServicesView(services);
  }

  private static void checkName(String name) {
    if (!name.matches("[a-z][a-z0-9-]{0,31}") || OWN_ROUTES.contains(name)) {
      throw new IllegalArgumentException("section \"" + name + "\" must be 1 to 32 lower-case letters, digits and dashes, start "
          + "with a letter and not be one of " + OWN_ROUTES.stream().sorted().toList());
    }
  }
}
