package dev.weft.hca.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RegistrationStrategyTest {
  private static final int PAGE = 4096;
  private static final int RW = Access.LOCAL_WRITE | Access.REMOTE_WRITE;

  private final FakeRegistrar registrar = new FakeRegistrar();
  private final MemorySegment memory = Arena.ofAuto().allocate(64 * PAGE, PAGE);

  private RegistrationStrategy make(Strategy strategy, int entries, long bytes, int batch, long batchBytes) {
    return RegistrationStrategy.create(new RegistrationSettings(strategy, entries, bytes, batch, batchBytes), registrar);
  }

  private RegistrationStrategy make(Strategy strategy, int entries) {
    return make(strategy, entries, 1 << 30, 4, 1 << 30);
  }

  private MemorySegment page(int index) {
    return memory.asSlice((long) index * PAGE, PAGE);
  }

  private static int use(RegistrationStrategy strategy, MemorySegment memory) {
    Registration registration = strategy.acquire(memory, RW);
    strategy.release(registration);
    return registration.lkey();
  }

  @Test
  void shouldRegisterForEachUseWhenDynamic() {
    RegistrationStrategy dynamic = make(Strategy.DYNAMIC, 4);
    assertNotEquals(use(dynamic, page(0)), use(dynamic, page(0)));
    assertEquals(List.of(), List.copyOf(registrar.registered));
    assertEquals(2, dynamic.stats().misses());
  }

  @Test
  void shouldFindAPartOfAStaticPoolAndRefuseWhatIsBeyondItsBounds() {
    RegistrationStrategy fixed = make(Strategy.STATIC, 1);
    int pool = use(fixed, memory);
    assertEquals(pool, use(fixed, page(7)));
    VerbsException refused = assertThrows(VerbsException.class, () -> fixed.acquire(Arena.ofAuto().allocate(PAGE), RW));
    assertEquals(VerbsException.Errno.ENOMEM, refused.errno());
    fixed.close();
    assertEquals(0, registrar.registered.size());
  }

  @ParameterizedTest
  @EnumSource(names = {"STATIC", "PIN_DOWN_CACHE", "FMRD"})
  void shouldFindARegistrationOnlyWhereItGrantsAllThatIsAskedAndCoversAllBytes(Strategy strategy) {
    RegistrationStrategy cache = make(strategy, 8);
    int first = use(cache, memory.asSlice(0, 2 * PAGE));
    assertEquals(first, use(cache, page(1)));
    assertEquals(first, use(cache, memory.asSlice(100, 5)));
    assertNotEquals(first, use(cache, memory.asSlice(PAGE, 2 * PAGE)), "a byte outside");
    assertNotEquals(first, cache.acquire(page(0), Access.REMOTE_READ).lkey(), "another right");
  }

  @ParameterizedTest
  @EnumSource(names = {"STATIC", "PIN_DOWN_CACHE", "FMRD"})
  void shouldNotFindMemoryThatWasFreedAndAllocatedAgain(Strategy strategy) {
    RegistrationStrategy cache = make(strategy, 8);
    long address = memory.address();
    Arena first = Arena.ofShared();
    int former = use(cache, MemorySegment.ofAddress(address).reinterpret(PAGE, first, null));
    first.close();
    try (Arena second = Arena.ofShared()) {
      assertNotEquals(former, use(cache, MemorySegment.ofAddress(address).reinterpret(PAGE, second, null)), "same address");
      assertFalse(registrar.holds(former), "what was freed is deregistered when its address comes back");
      assertEquals(1, cache.stats().stale());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"STATIC", "PIN_DOWN_CACHE", "FMRD"})
  void shouldNotFindMemoryOfAnotherScopeAtTheSameAddressThoughNobodyToldOfItsEnd(Strategy strategy) {
    RegistrationStrategy cache = make(strategy, 8);
    int former = use(cache, MemorySegment.ofAddress(memory.address()).reinterpret(PAGE));
    assertNotEquals(former, use(cache, page(0)));
    assertFalse(registrar.holds(former));
  }

  @ParameterizedTest
  @EnumSource(names = {"STATIC", "PIN_DOWN_CACHE", "FMRD"})
  void shouldForgetWhatTheAllocatorFrees(Strategy strategy) {
    RegistrationStrategy cache = make(strategy, 8);
    int former = use(cache, memory.asSlice(0, 3 * PAGE));
    int other = use(cache, page(9));
    cache.invalidate(memory.asSlice(2 * PAGE + 5, 1));
    assertFalse(registrar.holds(former), "deregistered when invalidate returns");
    assertNotEquals(former, use(cache, page(0)));
    assertEquals(other, use(cache, page(9)));
  }

  @Test
  void shouldDeregisterAtOnceWhatWaitsInABatchWhenItIsFreed() {
    RegistrationStrategy fmrd = make(Strategy.FMRD, 1);
    int first = use(fmrd, page(0));
    use(fmrd, page(1));
    assertTrue(registrar.holds(first), "evicted, waits");
    assertEquals(1, fmrd.stats().waiting());
    fmrd.invalidate(page(0));
    assertFalse(registrar.holds(first));
    assertEquals(0, fmrd.stats().waiting());
  }

  @ParameterizedTest
  @EnumSource(names = {"STATIC", "PIN_DOWN_CACHE", "FMRD"})
  void shouldKeepARegistrationInUseWhoseMemoryIsFreedUntilItsLastRelease(Strategy strategy) {
    RegistrationStrategy cache = make(strategy, 8);
    Registration one = cache.acquire(page(0), RW);
    Registration two = cache.acquire(page(0), RW);
    cache.invalidate(page(0));
    assertNotEquals(one.lkey(), use(cache, page(0)), "not found");
    cache.release(one);
    assertTrue(registrar.holds(two.lkey()));
    cache.release(two);
    assertFalse(registrar.holds(two.lkey()));
  }

  @ParameterizedTest
  @EnumSource(names = {"PIN_DOWN_CACHE", "FMRD"})
  void shouldEvictTheLeastRecentlyUsedAndNeverWhatIsInUse(Strategy strategy) {
    RegistrationStrategy cache = make(strategy, 3);
    Registration held = cache.acquire(page(0), RW);
    int one = use(cache, page(1));
    int two = use(cache, page(2));
    assertEquals(one, use(cache, page(1)));
    use(cache, page(3));
    assertEquals(one, use(cache, page(1)), "used more recently than page 2");
    assertNotEquals(two, use(cache, page(2)));
    for (int i = 10; i < 40; i++) {
      use(cache, page(i));
      assertTrue(registrar.holds(held.lkey()));
    }
    assertEquals(held.lkey(), use(cache, page(0)));
  }

  @ParameterizedTest
  @EnumSource(names = {"PIN_DOWN_CACHE", "FMRD"})
  void shouldNotFindKeysThatWereInvalidated(Strategy strategy) {
    RegistrationStrategy cache = make(strategy, 3);
    int former = use(cache, page(0));
    registrar.registered.iterator().next().valid = false;
    assertNotEquals(former, use(cache, page(0)));
    assertFalse(registrar.holds(former));
  }

  @Test
  void shouldDeregisterInBatchesBoundedInCount() {
    RegistrationStrategy fmrd = make(Strategy.FMRD, 2);
    for (int i = 0; i < 12; i++) {
      use(fmrd, page(i));
      assertTrue(registrar.registered.size() <= 2 + 3);
    }
    assertEquals(List.of(4, 4), registrar.batches);
    assertEquals(0, registrar.singles);
    assertEquals(12, registrar.fastRegistrations);
  }

  @Test
  void shouldDeregisterInBatchesBoundedInBytes() {
    RegistrationStrategy fmrd = make(Strategy.FMRD, 1, 1 << 30, 100, 3 * PAGE);
    for (int i = 0; i < 10; i++) {
      use(fmrd, page(i));
    }
    assertEquals(List.of(3, 3), registrar.batches);
    use(fmrd, memory.asSlice(20 * PAGE, 5 * PAGE));
    use(fmrd, page(30));
    assertEquals(0, fmrd.stats().waiting(), "longer than the bound: not kept waiting");
  }

  @ParameterizedTest
  @EnumSource(names = {"PIN_DOWN_CACHE", "FMRD"})
  void shouldKeepNoMoreIdleBytesThanAllowed(Strategy strategy) {
    RegistrationStrategy cache = make(strategy, 100, 4 * PAGE, 2, PAGE);
    for (int i = 0; i < 20; i++) {
      use(cache, page(i));
    }
    int kept = use(cache, page(19));
    use(cache, memory.asSlice(20 * PAGE, 5 * PAGE));
    assertTrue(cache.stats().registeredBytes() <= 5 * PAGE, () -> cache.stats().toString());
    assertFalse(registrar.registered.stream().anyMatch(k -> k.memory.byteSize() > 4 * PAGE));
    assertNotEquals(0, kept);
  }

  @ParameterizedTest
  @EnumSource(names = {"PIN_DOWN_CACHE", "FMRD"})
  void shouldGiveBackWhatNobodyHoldsWhenTheHcaIsFull(Strategy strategy) {
    registrar.regionsMax = 3;
    RegistrationStrategy cache = make(strategy, 100);
    Registration held = cache.acquire(page(0), RW);
    for (int i = 1; i < 10; i++) {
      use(cache, page(i));
    }
    assertTrue(registrar.holds(held.lkey()));
    cache.acquire(page(20), RW);
    cache.acquire(page(21), RW);
    assertThrows(VerbsException.class, () -> cache.acquire(page(22), RW));
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void shouldRefuseASecondRelease(Strategy strategy) {
    RegistrationStrategy any = make(strategy, 8);
    Registration one = any.acquire(page(0), RW);
    Registration two = any.acquire(page(0), RW);
    any.release(one);
    assertThrows(IllegalStateException.class, () -> any.release(one));
    assertTrue(registrar.holds(two.lkey()));
    assertThrows(IllegalStateException.class, any::close, "one is held");
  }

  @Test
  void shouldNameTheBoundThatIsWrong() {
    RegistrationSettings usual = RegistrationSettings.of(Strategy.FMRD);
    assertEquals(1024, usual.entriesMax());
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
        () -> new RegistrationSettings(Strategy.FMRD, 1, 1 << 20, 1, 1 << 20));
    assertTrue(refused.getMessage().contains("batchMax"), refused.getMessage());
  }
}
