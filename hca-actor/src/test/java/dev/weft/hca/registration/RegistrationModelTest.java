package dev.weft.hca.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.hca.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random use against a model that knows nothing of caches: which memory is whose, and who holds what. */
@Tag("slow")
@Tag("simulation")
class RegistrationModelTest {
  private static final int PAGE = 4096;
  private static final int PLACES = 24;
  private static final int STEPS = 2_000;
  private static final int ENTRIES = 6;
  private static final int BATCH = 3;
  private static final long BATCH_BYTES = 5 * PAGE;

  private record Held(Registration registration, int place, int pages, int generation) {}

  private final MemorySegment base = Arena.ofAuto().allocate(PLACES * 2L * PAGE, PAGE);

  @ParameterizedTest
  @EnumSource(names = {"DYNAMIC", "PIN_DOWN_CACHE", "FMRD"})
  void shouldNeverServeFreedMemoryNorLoseWhatIsHeld(Strategy strategy) {
    Seeds.of(RegistrationModelTest.class, "registration-" + strategy.name().toLowerCase(Locale.ROOT), 1, 40, 20).run(seed -> {
      new Run(strategy, seed).play();
    });
  }

  private final class Run {
    final String name;
    final SplittableRandom random;
    final FakeRegistrar registrar = new FakeRegistrar();
    final RegistrationStrategy strategy;
    final List<Held> held = new ArrayList<>();
    final Arena[] arenas = new Arena[PLACES];
    /** How often a place was freed; even when the arena was closed, odd when only the allocator told, and so on. */
    final int[] generations = new int[PLACES];
    /** Generation of the memory that each key was given for. */
    final Map<Integer, String> keys = new LinkedHashMap<>();
    long acquisitions;

    Run(Strategy kind, long seed) {
      name = kind + " seed " + seed;
      random = new SplittableRandom(seed);
      strategy = RegistrationStrategy.create(
          new RegistrationSettings(kind, ENTRIES, 8L * PAGE, BATCH, BATCH_BYTES), registrar);
      for (int i = 0; i < PLACES; i++) {
        arenas[i] = Arena.ofShared();
      }
    }

    void play() {
      for (int step = 0; step < STEPS; step++) {
        int draw = random.nextInt(10);
        if (draw < 5 && held.size() < 4) {
          acquire();
        } else if (draw < 9 && !held.isEmpty()) {
          Held one = held.remove(random.nextInt(held.size()));
          assertTrue(registrar.holds(one.registration.lkey()), name + " step " + step + ": lost what is held");
          strategy.release(one.registration);
        } else if (draw == 9) {
          free(random.nextInt(PLACES));
        }
        check(step);
      }
      held.forEach(one -> strategy.release(one.registration));
      strategy.close();
      assertEquals(0, registrar.registered.size(), name);
    }

    private void acquire() {
      int place = random.nextInt(PLACES);
      int pages = 1 + random.nextInt(2);
      MemorySegment segment = base.asSlice(place * 2L * PAGE, 2 * PAGE).reinterpret(arenas[place], null).asSlice(0, (long) pages * PAGE);
      Registration registration = strategy.acquire(segment, Access.LOCAL_WRITE);
      acquisitions++;
      String owner = place + "/" + generations[place];
      String known = keys.putIfAbsent(registration.lkey(), owner);
      assertTrue(known == null || known.equals(owner), () -> name + ": " + owner + " got the key of " + known);
      assertTrue(registrar.registered.stream().anyMatch(k -> k.key == registration.lkey() && k.memory.byteSize() >= segment.byteSize()
          && k.memory.address() == segment.address()), name + ": the key does not cover the memory");
      held.add(new Held(registration, place, pages, generations[place]));
    }

    /** Closes the arena without a word, or tells and keeps the arena. */
    private void free(int place) {
      generations[place]++;
      if (random.nextBoolean()) {
        arenas[place].close();
        arenas[place] = Arena.ofShared();
      } else {
        MemorySegment freed = base.asSlice(place * 2L * PAGE, 2 * PAGE);
        strategy.invalidate(freed);
        for (FakeRegistrar.Keys left : registrar.registered) {
          boolean inside = left.memory.address() >= freed.address() && left.memory.address() < freed.address() + freed.byteSize();
          assertTrue(!inside || held.stream().anyMatch(h -> h.registration.lkey() == left.key), name + ": freed and still open");
        }
      }
    }

    private void check(int step) {
      String where = name + " step " + step;
      RegistrationStats stats = strategy.stats();
      assertEquals(acquisitions, stats.hits() + stats.misses(), where);
      assertEquals(registrar.bytes(), stats.registeredBytes(), where);
      assertEquals(registrar.bytes(), stats.pinnedBytes(), where);
      long inUse = held.stream().map(h -> h.registration.lkey()).distinct().count();
      assertEquals(inUse, stats.inUse(), where);
      assertTrue(stats.waiting() < BATCH, where);
      assertTrue(registrar.registered.size() <= Math.max(ENTRIES, inUse) + BATCH + inUse, where);
      for (Held one : held) {
        assertTrue(registrar.holds(one.registration.lkey()), where + ": evicted in use");
      }
    }
  }
}
