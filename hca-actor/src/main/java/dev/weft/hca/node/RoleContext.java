package dev.weft.hca.node;

import akka.actor.typed.MailboxSelector;
import akka.actor.typed.Props;
import com.typesafe.config.Config;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Who runs a role (design section 4; seed 000 section 3.2 and Table 1): a dispatcher and a bounded mailbox. The code of the role is the same in
 * all of them. In virtual time the processors of the host charge for it, where it has any.
 */
public enum RoleContext {
  /** The hardware thread, to completion; the role may not block. */
  ISR(HardwareDispatcher.CONFIG_PATH),
  /** A dedicated thread, fed by the hardware thread. */
  TASK_QUEUE("weft.context.task-queue"),
  /** The default dispatcher, in competition with the application. */
  PROCESS("akka.actor.default-dispatcher"),
  /** A thread that looks for work all the time. */
  POLLING("weft.context.polling"),
  /** Threads that may wait for a disk. */
  BLOCKING("weft.context.blocking");

  private static final String AUTO = "auto";
  static final String MAILBOX = "weft.context.mailbox";

  private final String dispatcher;

  RoleContext(String dispatcher) {
    this.dispatcher = dispatcher;
  }

  /** In real time, and where nobody charges. */
  Props props() {
    return with(dispatcher);
  }

  static Props with(String dispatcherPath) {
    return MailboxSelector.fromConfig(MAILBOX).withDispatcherFromConfig(dispatcherPath);
  }

  /** As in the configuration. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Reads the key {@code context} of {@code section}, whose path is named in messages. */
  public static RoleContext of(String path, Config section) {
    return of(path, section, "");
  }

  /** The same where the role may choose by itself: null for {@code auto}. */
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
