package dev.weft.hca.memory;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.registration.HcaRegistrar;
import dev.weft.hca.registration.Registration;
import dev.weft.hca.registration.RegistrationSettings;
import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.hca.registration.RegistrationStats;
import dev.weft.hca.registration.RegistrationStrategy;
import dev.weft.hca.verbs.Access;
import java.lang.foreign.Arena;

/** Registers more memory than this process may lock, and prints what the strategy says of it. Argument: bytes. */
final class LimitedLockMain {
  private static final int PAGE = 4096;

  private LimitedLockMain() {}

  public static void main(String[] arguments) {
    int bytes = Integer.parseInt(arguments[0]);
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty()); Arena arena = Arena.ofShared()) {
      Node node = fabric.addNode("registering");
      try (RegistrationStrategy cache = RegistrationStrategy.create(new RegistrationSettings(Strategy.PIN_DOWN_CACHE, 2, 1 << 30, 3, 1 << 30),
          new HcaRegistrar(node.hca(), node.hca().allocPd()))) {
        Registration registration = cache.acquire(arena.allocate(bytes, PAGE), Access.LOCAL_WRITE);
        cache.release(registration);
        RegistrationStats stats = cache.stats();
        System.out.println("pinned " + registration.isPinned() + ", unpinned " + stats.unpinned() + ", pinnedBytes " + stats.pinnedBytes()
            + ", registeredBytes " + stats.registeredBytes());
      }
    }
  }
}
