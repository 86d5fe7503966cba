package dev.weft.fabric.cluster;

/**
 * What one module may send over the control plane. Implementations are found by {@link java.util.ServiceLoader}, so a
 * module adds a line to {@code META-INF/services/dev.weft.fabric.cluster.ControlClasses}.
 *
 * <p>Ids are part of the wire format: a module owns a hundred of them and never reuses one. Taken: 10 to 99 the JDK's
 * classes and Akka's references, 100 to 199 fabric, 200 to 299 hca, 300 to 399 pager, 400 to 499 tripwire, 500 to 599 dsm,
 * 600 to 699 pvfs, 700 to 799 launcher.
 */
public interface ControlClasses {
  /** Names the classes and their ids. Called once for each serializer instance, from any thread. */
  void register(ControlRegistry registry);
}
