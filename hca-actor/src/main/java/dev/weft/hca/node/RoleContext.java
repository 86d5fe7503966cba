package dev.weft.hca.node;

import akka.actor.typed.MailboxSelector;
import akka.actor.typed.Props;
import com.typesafe.config.Config;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The context in which a role runs (design section 4; Kernel DSM section 3.2 and Table 1): a dispatcher and a bounded mailbox. The role's code is
 * the same in all contexts. In virtual time the processors of the host, if it has any, charge for the role.
 */
public enum RoleContext {
  /** The hardware thread, which runs each message to its end; the role must not block. */
  ISR(HardwareDispatcher.CONFIG_PATH),
  /** A dedicated thread, fed by the hardware thread. */
  TASK_QUEUE("weft.context.task-queue"),
  /** The default dispatcher; the role competes with the application for threads. */
  PROCESS("akka.actor.default-dispatcher"),
  /** A thread that polls for work all the time. */
  POLLING("weft.context.polling"),
  /** Threads that may wait for a disk. */
  BLOCKING("weft.context.blocking");

  private static final String AUTO = "auto";
  static final String MAILBOX = "weft.context.mailbox";

  private final String dispatcher;

  RoleContext(String dispatcher) {
    this.dispatcher = dispatcher;
  }

  /** The dispatcher and mailbox in real time, and in virtual time without processors. */
  Props props() {
    return with(dispatcher);
  }

  static Props with(String dispatcherPath) {
    return MailboxSelector.fromConfig(MAILBOX).withDispatcherFromConfig(dispatcherPath);
  }

  /** The name in the configuration. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Reads the key {@code context} of {@code section}; messages name the section by {@code path}. */
  public static RoleContext of(String path, Config section) {
    return of(path, section, "");
  }

  /** Like {@link #of}, for a role that can choose its context itself; returns null for {@code auto}. */
  public static RoleContext orAuto(String path, Config section) {
    return section.getString("context").equals(AUTO) ? null : of(path, section, AUTO + ", ");
  }

  private static RoleContext of(String path, Config section, String others) {
    String name = section.getString("context");
    List<String> names = Arrays.stream(values()).map(RoleContext::configName).toList();
    int index = names.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(path + ".context is " + name + ", must be one of " + others + String.join(", ", names));
    }
    return values()[index];
  }
}
