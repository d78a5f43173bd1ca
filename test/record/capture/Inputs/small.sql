create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
  insert into t select i, 'row ' || i, i * 1.5 from n;
create index byb on t(b);
select count(*), sum(c) from t where b like 'row 1%';
select a, b from t order by b desc limit 5;
select t.a, u.b from t join t u on u.a = t.a + 1 where t.a < 200 group by u.b limit 3;
