package dev.weft.service;

import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.Node;
import java.util.List;
import java.util.Optional;

/**
 * What plugs into Weft at one place. Found by {@link java.util.ServiceLoader}: its jar names it in {@code
 * META-INF/services/dev.weft.service.Service}. Settings need no word here: the jar's {@code reference.conf} has them. Messages that go
 * between JVMs are named by {@link dev.weft.fabric.cluster.ControlClasses}; what the service offers at its nodes goes to all JVMs by {@link
 * dev.weft.hca.node.Fabric#advertise}; a workload for {@code weft sim} is a provider of its own. Any thread.
 */
public interface Service extends CommandProvider {
  /** Unique; lower-case letters, digits and dashes. Names its settings ({@code weft.<name>}) and its route ({@code /weft/<name>}). */
  String name();

  /** Version of its protocol and of what it shows, for people. */
  String version();

  @Override
  default List<Object> commands() {
    return List.of();
  }

  /** Command lines, by their words, that {@code weft train} runs, so that what they need is recorded; their output is dropped. */
  default List<List<String>> training() {
    return List.of();
  }

  /** Names of services that start before this one where they are there, because it uses their devices. */
  default List<String> needs() {
    return List.of();
  }

  /**
   * Puts this service's device into a node that has none; it ends with the node. {@link Host#equip} does so too, and shows it.
   *
   * @throws CommandFailure if there is no such device, or it cannot be
   */
  default void equip(DeviceHost host, Node node) {
    throw new CommandFailure("the service " + name() + " has no device to put into a node");
  }

  /** A new part for the JVM of {@code weft up}. */
  default Optional<Deployment> deployment() {
    return Optional.empty();
  }

  /** A new part for a further JVM that {@code weft up} starts; its options are {@link Deployment#argumentsOf}. */
  default Optional<Part> member() {
    return Optional.empty();
  }

  /** A new part for a JVM of {@code weft join}. */
  default Optional<Part> joined() {
    return Optional.empty();
  }
}
