package dev.weft.service;

import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.Node;
import java.util.List;
import java.util.Optional;

/**
 * A service that plugs into Weft. {@link java.util.ServiceLoader} finds it: its jar names it in {@code
 * META-INF/services/dev.weft.service.Service}. Any thread may call the methods. The rest of a service has other places:
 *
 * <ul>
 *   <li>The jar's {@code reference.conf} has its settings.
 *   <li>A {@link dev.weft.fabric.cluster.ControlClasses} names the messages that it sends between JVMs.
 *   <li>{@link dev.weft.hca.node.Fabric#advertise} tells all JVMs what it offers at its nodes.
 *   <li>A workload for {@code weft sim} is a separate provider.
 * </ul>
 */
public interface Service extends CommandProvider {
  /**
   * A unique name of 1 to 32 lower-case letters, digits and dashes; the first is a letter. It also names the service's settings ({@code weft.<name>})
   * and its route ({@code /weft/<name>}).
   */
  String name();

  /** The version of its protocol and of its inspection, for display. */
  String version();

  @Override
  default List<Object> commands() {
    return List.of();
  }

  /** Command lines, split into words, that {@code weft train} runs so that its recording covers them. It discards their output. */
  default List<List<String>> training() {
    return List.of();
  }

  /** Names of services whose devices this service uses. Those that are on the class path start before it. */
  default List<String> needs() {
    return List.of();
  }

  /**
   * Puts this service's device into a node that has none; the device ends with the node. {@link Host#equip} does the same and also adds the device to
   * the inspection.
   *
   * @throws CommandFailure if the service has no device, or cannot add it
   */
  default void equip(DeviceHost host, Node node) {
    throw new CommandFailure("the service " + name() + " has no device to put into a node");
  }

  /** Creates the part for the JVM of {@code weft up}. */
  default Optional<Deployment> deployment() {
    return Optional.empty();
  }

  /** Creates the part for a further JVM that {@code weft up} starts, with the options of {@link Deployment#argumentsOf}. */
  default Optional<Part> member() {
    return Optional.empty();
  }

  /** Creates the part for a JVM of {@code weft join}. */
  default Optional<Part> joined() {
    return Optional.empty();
  }
}
